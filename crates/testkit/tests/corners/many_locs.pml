byte x;

active proctype A() {
	do
	:: x == 0 ->
		do
		:: x == 1 ->
			do
			:: x == 2 ->
				break
			:: x = 3
			od
		:: x = 2;
			break
		od
	:: x = 1
	:: x > 2 ->
		goto out
	od;
	out: x = 9
}
