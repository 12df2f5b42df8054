/* Channels travel in messages. */
chan desk = [1] of { chan, byte };

active proctype Server() {
	chan back; byte n;
	desk?back,n;
	back!n + 1
}

active proctype Client() {
	chan mine = [0] of { byte };
	byte r;
	desk!mine,41;
	mine?r;
	assert(r == 42)
}
