byte x, y;
bit turn;

active [2] proctype P() {
	byte mine;
	atomic {
		x = x + 1;
		mine = x;
		if
		:: mine == 2 -> y = 4
		:: else -> skip
		fi
	};
	d_step {
		mine = mine * 2;
		y = y + mine;
		turn = 1 - turn
	};
	assert(y < 8)
}
