byte a[2];
byte i = 2;

init {
	i < 2 && a[i] == 0 || i == 2;
	i = (i > 1 -> 0 : a[i]);
	a[i] = (a[1] == 0 -> a[0] + 1 : 9);
	assert(a[0] == 1)
}
