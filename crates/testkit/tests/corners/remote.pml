byte x;

proctype P(byte n) {
	byte loc = n;
	A: loc++;
	B: x = loc
}

init {
	pid a, b;
	atomic {
		a = run P(1);
		b = run P(5)
	};
	P[a]@B;
	x = P[b]:loc;
	assert(P[a]:loc == 2 || x > 0);
	!P[b]@A;
	x = 0
}
