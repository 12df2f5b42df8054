byte x;
bit g = 1;

active proctype A() priority 2 provided (g) {
	atomic {
		x = 1;
		g = 0;
		x = 2
	}
}

active proctype B() {
	do
	:: !g ->
		x++;
		g = 1
	:: x > 1 && g ->
		break
	od
}
