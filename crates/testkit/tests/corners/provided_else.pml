byte x;

active proctype A() provided (x < 2) {
	do
	:: x++
	:: else ->
		x = 0
	od
}

active proctype B() provided (x > 0) {
	do
	:: x > 0 ->
		x--
	:: x == 0 ->
		break
	od
}
