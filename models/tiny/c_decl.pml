/* Embedded C declarations. */
c_decl {
	typedef struct Pair { int a, b; } Pair;
}
c_code {
	int add(int a, int b) { return a + b; }
}
int r;

init {
	c_code { Pair p; p.a = 2; p.b = 3; now.r = add(p.a, p.b); };
	assert(r == 5)
}
