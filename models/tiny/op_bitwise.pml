/* & | ^ ~ on ints. */
int a = 12, b = 10;

init {
	assert((a & b) == 8 && (a | b) == 14 && (a ^ b) == 6);
	assert(~a == -13 && (~a & 255) == 243)
}
