byte x;

active proctype A() {
	atomic {
		x = 1;
		atomic {
			x = 2;
			d_step {
				x = 3;
				x = 4
			};
			x > 4;
			x = 6
		};
		x = 7
	};
	x = 8
}

active proctype B() {
	x == 4;
	x = 5
}
