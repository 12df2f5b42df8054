/* Embedded C statements. */
int x;

active proctype P() {
	c_code { now.x = now.x + 2; };
	assert(x == 2);
	c_code [ now.x < 5 ] { now.x++; };
	assert(x == 3)
}
