active proctype C() {
	byte a[2];
	byte i = 1;
	a[i]++;
	false
}
active proctype D() {
	C[0]:a[1] == 1 -> assert(false)
}
