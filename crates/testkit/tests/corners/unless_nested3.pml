byte x;

active proctype A() {
	{
		{
			{
				do
				:: x < 9 ->
					x++
				od
			} unless {
				x == 3;
				x = 4
			}
		} unless {
			x == 6;
			x = 7;
			x = 8
		}
	} unless {
		x == 8
	};
	x = 0
}

active proctype B() {
	do
	:: x = x / 2
	:: break
	od
}
