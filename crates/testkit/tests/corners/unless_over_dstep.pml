byte x, y;

active proctype A() {
	{
		d_step {
			x = 1;
			y = y + 1;
			x = 0
		};
		x = 7
	} unless {
		d_step {
			y == 1;
			y = 5;
			x = 4
		}
	}
}

active proctype B() {
	do
	:: y < 3 ->
		y++
	:: else ->
		break
	od
}
