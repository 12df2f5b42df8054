/* proctype parameters of several types; arguments are cut to the type. */
int sum;

proctype Add(byte a; short b, c; bool neg; chan out) {
	out!(neg -> -(a + b + c) : a + b + c)
}

init {
	chan back = [1] of { int };
	run Add(257, -3, 4, true, back);
	back?sum;
	assert(sum == -2)
}
