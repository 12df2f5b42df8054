byte x = 4;
active proctype P() {
	byte y;
	y = x / 2;
	x = y + 1;
	assert(x == 2 && y != 0)
}
