byte x;

active proctype A() {
	endok: atomic {
		x == 1;
		x = 2;
		x == 3;
		x = 4
	}
}

active proctype B() {
	if
	:: x = 1
	:: skip
	fi
}
