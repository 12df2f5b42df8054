chan c = [0] of { byte };
byte x;

active proctype A() {
	if
	:: c!1
	:: timeout ->
		x = 2
	fi
}

active proctype B() {
	if
	:: x == 2 ->
		c?x
	:: c?x
	fi
}
