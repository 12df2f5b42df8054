byte x;

active proctype A() {
	do
	:: x < 2 ->
		x++
	:: else ->
		L: goto M
	od;
	M: x = 0
}

active proctype B() {
	A@L;
	x = 9
}
