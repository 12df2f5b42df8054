/* << and >>; the right shift keeps the sign. */
int a = 5, n = -8;

init {
	assert(a << 3 == 40 && a >> 1 == 2);
	assert(n >> 1 == -4 && 1 << 10 == 1024);
	assert(1 << 2 + 1 == 8)
}
