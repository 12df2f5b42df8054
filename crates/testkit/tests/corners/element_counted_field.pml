typedef T { byte n; byte a[3] };
T t[2];
active proctype C() {
	byte i = 1, j = 2;
	t[i].a[j]++;
	t[1].n++;
	assert(t[1].n == 1 && t[1].a[2] == 0)
}
