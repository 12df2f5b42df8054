/* unsigned NAME : WIDTH holds the given number of bits. */
unsigned a : 3 = 5, b : 5;

init {
	a = a + 4;		/* 9 is cut to 1 */
	assert(a == 1);
	b = 40;			/* cut to 8 */
	assert(b == 8)
}
