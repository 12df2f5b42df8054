/* Declarations in the middle of a body are steps in their place. */
byte g = 1;

active proctype P() {
	g = 5;
	byte x = g + 1;
	g = 0;
	byte y;
	assert(x == 6 && y == 0)
}

active proctype Q() { g = 7 }
