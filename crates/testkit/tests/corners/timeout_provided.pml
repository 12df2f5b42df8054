byte x;

active proctype A() provided (x == 1) {
	x = 2
}

active proctype B() {
	timeout;
	x = 1;
	timeout;
	assert(x == 2)
}
