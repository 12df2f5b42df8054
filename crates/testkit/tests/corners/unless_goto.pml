byte x;

active proctype A() {
	L: {
		x++;
		if
		:: x == 2 ->
			goto L
		:: x == 3 ->
			goto M
		:: else
		fi;
		M: x++
	} unless {
		x == 4;
		goto E
	};
	skip;
	E: skip
}
