chan c[3] = [1] of { byte, chan };
byte x;

active proctype A() {
	chan r;
	byte i;
	for (i in c) {
		c[i]!i, c[(i + 1) % 3]
	};
	c[1]?x, r;
	assert(r == c[2]);
	r?eval(x + 1), r;
	assert(r == c[0]);
	r?x, _
}
