bool p = true, q;
bit r;

init {
	p = p && !q;
	q = p || q;
	r = p + q;
	assert(r == 0);
	p = 2;
	q = 256;
	r = -1;
	assert(!p && !q && r)
}
