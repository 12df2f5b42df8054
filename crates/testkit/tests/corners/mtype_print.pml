mtype = { a, b };

mtype:t = { u, v };

mtype m = b;
mtype:t n = v;

init {
	printf("%e %e %d\n", m, n, a);
	printm(m);
	m = a
}
