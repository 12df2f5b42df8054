byte x;

active proctype A() {
	if
	:: goto M
	:: skip
	fi;
	atomic {
		x = 1;
		M: x = x + 2;
		x == 3 || x == 2;
		x++
	};
	x = 0
}

active proctype B() {
	x == 3;
	x = 3
}
