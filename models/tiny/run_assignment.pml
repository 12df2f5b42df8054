/* run as the right side of an assignment gives the new pid. */
pid a, b;

proctype P() { end: false }

init {
	a = run P();
	b = run P();
	assert(a == 1 && b == 2)
}
