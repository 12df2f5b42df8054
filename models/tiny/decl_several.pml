/* Several names in one declaration, commas and semicolons. */
int a, b = 2, c[2], d = 4;
byte e; byte f = 6

init {
	byte g = 1, h; bool k = true;
	assert(a == 0 && b == 2 && c[1] == 0 && d == 4 && e == 0 && f == 6);
	assert(g == 1 && h == 0 && k)
}
