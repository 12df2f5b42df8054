short a = -7;
int b;

init {
	b = a % 3;
	assert(b == -1);
	b = a / 2;
	assert(b == -3);
	b = a >> 1;
	assert(b == -4);
	b = ~a;
	assert(b == 6);
	b = -a;
	b = (a < 0 -> 1 : a / 0);
	b = a & 15;
	assert(b == 9);
	b = a ^ 3 | 1;
	b = !a + !(!a)
}
