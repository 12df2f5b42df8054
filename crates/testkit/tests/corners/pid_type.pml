pid p;
byte x;

proctype C(pid parent) {
	x = parent;
	assert(parent == 0)
}

init {
	p = run C(_pid);
	assert(p == 1)
}
