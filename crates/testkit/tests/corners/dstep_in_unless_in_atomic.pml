byte x, y;

active proctype A() {
	atomic {
		{
			d_step {
				x++;
				x++
			};
			y == 1;
			x = 9
		} unless {
			y == 2;
			x = 5
		};
		x = 1
	}
}

active proctype B() {
	if
	:: y = 1
	:: y = 2
	:: skip
	fi
}
