/* (c -> a : b), also nested and inside other expressions. */
byte x = 3, y;

init {
	y = (x > 2 -> 10 : 20);
	assert(y == 10);
	y = 1 + (x == 0 -> 1 : (x == 3 -> 2 : 3));
	assert(y == 3);
	assert((x < y -> x : y) == 3)
}
