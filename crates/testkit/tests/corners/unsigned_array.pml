typedef U {
	unsigned a : 3;
	unsigned b : 5;
}

U u;
short r;

init {
	u.a = 9;
	u.b = -1;
	r = u.a * 100 + u.b;
	assert(r == 131);
	u.a--;
	u.a--;
	assert(u.a == 7)
}
