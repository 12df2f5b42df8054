/* Arrays: one initialiser sets every element. */
byte a[4] = 3;
bool seen[2];

init {
	byte i;
	seen[1] = true;
	a[2] = a[0] + a[3];
	i = a[2] - 4;
	assert(i == 2 && a[i] == 6 && a[1] == 3 && !seen[0])
}
