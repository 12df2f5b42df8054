/* && and || and conditionals evaluate only what they need. */
byte a[2] = { 4, 5 };
byte i = 2;

init {
	assert(!(i < 2 && a[i] == 0));
	assert(i >= 2 || a[i] > 0);
	assert((i < 2 -> a[i] : 7) == 7)
}
