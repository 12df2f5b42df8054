/* atomic: nobody else moves between its statements. */
byte x;

active [2] proctype P() {
	byte t;
	atomic {
		t = x;
		x = t + 1
	};
	assert(x > 0);
	atomic { x == 2 -> skip }
}
