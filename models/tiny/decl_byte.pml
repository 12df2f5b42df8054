/* byte holds 0..255 and wraps. */
byte x = 255;

init {
	x++;
	assert(x == 0);
	x--;
	assert(x == 255)
}
