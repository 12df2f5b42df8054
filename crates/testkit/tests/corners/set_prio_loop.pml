byte x;

active [2] proctype A() priority 2 {
	do
	:: x < 3 ->
		x++;
		set_priority(_pid, 1 + (x & 1))
	:: x >= 3 ->
		break
	od
}

active proctype B() priority 1 {
	x = 0
}
