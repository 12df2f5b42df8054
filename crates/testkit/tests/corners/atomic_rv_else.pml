chan c = [0] of { byte };
byte x;

active proctype A() {
	atomic {
		x = 1;
		if
		:: c!1;
			x = 2
		:: else ->
			x = 3
		fi;
		x = 4
	}
}

active proctype B() {
	byte y;
	atomic {
		c?y;
		x = 9;
		y = 0
	}
}
