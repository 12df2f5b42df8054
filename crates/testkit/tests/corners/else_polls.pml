chan c = [2] of { byte, byte };
byte x;

active proctype A() {
	do
	:: c?[1, _] ->
		c?1, x
	:: c??[2, _] ->
		c??2, x
	:: else ->
		if
		:: x == 7 ->
			break
		:: else ->
			skip
		fi
	od
}

active proctype B() {
	c!1, 3;
	c!2, 7;
	c!1, 1;
	c!2, 7
}
