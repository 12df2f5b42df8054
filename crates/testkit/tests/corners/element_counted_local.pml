chan c = [1] of { byte };
active proctype C() {
	byte a[3];
	byte i = 2;
	a[i] = a[i] + 3;
	c!a[2];
	c?3
}
