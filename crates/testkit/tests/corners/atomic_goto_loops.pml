byte x;

active proctype A() {
	S: atomic {
		x < 3;
		x++;
		goto T
	};
	T: atomic {
		x++;
		if
		:: x > 4 ->
			goto E
		:: else ->
			goto S
		fi
	};
	E: x = 0
}

active proctype B() {
	do
	:: x == 2 ->
		x = 1
	:: x == 0 ->
		break
	od
}
