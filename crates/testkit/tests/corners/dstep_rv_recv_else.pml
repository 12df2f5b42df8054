chan c = [0] of { byte };
byte x;

active proctype A() {
	do
	:: d_step {
			c?x;
			x++
		}
	:: else ->
		if
		:: x > 1 ->
			break
		:: else
		fi
	od
}

active proctype B() {
	c!1;
	c!2
}
