/* v++ and v-- are statements, also on array elements and fields. */
typedef R { byte f };
byte a[2];
R r;
int n = -1;

init {
	a[1]++; a[1]++; a[1]--;
	r.f++;
	n--;
	assert(a[1] == 1 && r.f == 1 && n == -2)
}
