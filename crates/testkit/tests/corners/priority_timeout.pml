byte x;

active proctype A() priority 2 {
	timeout;
	x = 1;
	x == 3
}

active proctype B() {
	x == 1;
	x = 3;
	timeout;
	x = 4
}
