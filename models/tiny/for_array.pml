/* for (i in array) runs over all indices. */
byte a[4] = { 3, 1, 4, 1 };
byte sum;

init {
	byte i;
	for (i in a) {
		sum = sum + a[i]
	}
	assert(sum == 9)
}
