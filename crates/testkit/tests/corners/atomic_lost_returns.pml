byte x, y;
chan c = [0] of { byte };

active proctype A() {
	atomic {
		x = 1;
		c!1;
		x = 2;
		y == 1;
		x = 3;
		c!2;
		x = 4
	}
}

active proctype B() {
	c?_;
	y = 1;
	x = 0;
	atomic {
		c?_;
		y = 2;
		x == 4;
		y = 3
	}
}
