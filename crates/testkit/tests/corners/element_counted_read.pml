byte a[2];
active proctype C() {
	byte i = 1;
	a[1]++;
	assert(a[i] == 0)
}
