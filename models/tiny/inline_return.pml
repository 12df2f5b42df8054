/* inline with return: the value of the call is assigned. */
int r;

inline square(n) { return n * n }

init {
	r = square(7);
	assert(r == 49);
	r = square(r);
	assert(r == 2401)
}
