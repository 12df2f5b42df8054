/* && || ! and their words; values are 0 and 1. */
byte x = 2, y;

init {
	assert((x && y) == 0 && (x || y) == 1 && !y && !(!x));
	assert((!x) + (!y) == 1);
	assert(x == 2 && y == 0 || x == 5)
}
