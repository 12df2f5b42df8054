byte x;

init {
	x = 1;
	byte a[3] = 7;
	assert(a[0] == 7);
	x = a[1];
	a[2] = 3;
	x = a[2]
}
