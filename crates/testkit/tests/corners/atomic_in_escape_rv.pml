chan c = [0] of { byte };
byte x;

active proctype A() {
	{
		do
		:: x < 3 ->
			x++
		od
	} unless {
		atomic {
			c?1;
			x = 7;
			x = 8
		}
	}
}

active proctype B() {
	if
	:: c!1
	:: x == 3 ->
		c!1
	fi;
	x = 0
}
