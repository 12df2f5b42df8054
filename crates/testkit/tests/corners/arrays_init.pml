byte a[4] = { 1, 2, 3 };
short b[2] = -5;
bool f[3] = true;

init {
	byte l[3] = { 7, 8, 9 };
	byte k[2] = a[2];
	assert(a[3] == 3 || a[3] == 0);
	assert(b[1] == -5 && f[2]);
	assert(l[2] == 9 && k[1] == 3)
}
