/* inline: text with parameters, substituted at the call. */
byte x, y;

inline swap(a, b) {
	byte t;
	t = a; a = b; b = t
}

init {
	x = 1; y = 2;
	swap(x, y);
	assert(x == 2 && y == 1)
}
