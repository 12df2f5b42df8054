typedef M {
	byte a[2];
	bit b;
}

typedef N {
	M m;
	short s;
}

chan c = [2] of { byte, N };
N n, o;

init {
	n.m.a[1] = 5;
	n.s = -4;
	n.m.b = 1;
	c!7, n;
	n.s = 2;
	c!8, n;
	c?7, o;
	assert(o.s == -4 && o.m.a[1] == 5);
	c?eval(o.m.a[1] + 3), o;
	assert(o.s == 2)
}
