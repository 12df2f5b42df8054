proctype P(bit b; short s; unsigned u : 2; mtype m) {
	assert(b == 1 && s == -1 && m == 2);
	byte k = u;
	assert(k == 3)
}

mtype = { p1, p2 };

init {
	run P(3, 65535, 7, p1)
}
