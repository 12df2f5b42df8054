byte x, y;

active proctype A() {
	{
		atomic {
			x = 1;
			y == 1;
			x = 2;
			x = 3
		}
	} unless {
		atomic {
			x == 1;
			y == 2;
			x = 9
		}
	};
	assert(x != 9)
}

active proctype B() {
	if
	:: y = 1
	:: y = 2
	fi
}
