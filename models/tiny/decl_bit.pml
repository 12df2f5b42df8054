/* bit holds one bit: values are cut when stored. */
bit b = 1;

init {
	b = b + 1;
	assert(b == 0);
	b = 3;
	assert(b == 1)
}
