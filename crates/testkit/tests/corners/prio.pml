byte x;

active proctype A() priority 3 {
	x = 1;
	set_priority(_pid, 1);
	x = 2;
	set_priority(1, 5);
	x = get_priority(1)
}

active proctype B() priority 2 {
	do
	:: x == 5 ->
		break
	:: x == 2 ->
		x = 3;
		set_priority(_pid, get_priority(_pid) - 1)
	od;
	assert(_priority <= 5)
}
