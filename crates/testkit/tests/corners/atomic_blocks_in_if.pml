byte x, y;
chan c = [1] of { byte };

active proctype A() {
	atomic {
		if
		:: c?y ->
			x = 1;
			c?y;
			x = 2
		:: x == 0 ->
			c!1;
			c!2;
			x = 3
		fi
	}
}

active proctype B() {
	do
	:: c?y
	:: c!5
	:: y == 5 ->
		break
	od
}
