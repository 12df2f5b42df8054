byte x, y;

active proctype A() {
	do
	:: timeout ->
		x++
	:: x > 2 ->
		break
	od
}

active proctype B() {
	do
	:: timeout ->
		y = x
	:: y > 1 ->
		break
	od
}

active proctype C() {
	x == 2 && timeout;
	y = 2
}
