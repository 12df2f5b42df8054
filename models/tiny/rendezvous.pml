/* A channel of size 0: sender and receiver move together. */
chan c = [0] of { byte, bool };
byte got;

active proctype S() {
	c!1,true;
	assert(got <= 2);
	c!2(false)
}

active [2] proctype R() {
	c?got,_
}
