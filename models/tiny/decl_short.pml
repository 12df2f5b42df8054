/* short holds 16 bits with sign. */
short s = 32767;

init {
	s = s + 1;
	assert(s == -32768);
	s = -5;
	assert(s / 2 == -2)
}
