/* Precedence from * / % over + - << >> < == & ^ | && || to ( -> : ). */
int a = 2, b = 3, c = 4;

init {
	assert(a + b * c == 14 && a * b + c == 10 && a - b - c == -5);
	assert(a + b << 1 == 10 && 20 / 3 * 2 == 12);
	assert((a & b == 3) == 0 && (a | b & c) == 2 && (a ^ b | c) == 5);
	assert((a < b == 1) && (1 || 0 && 0));
	assert((a ^ b & a) == 0 && -a + b == 1 && !a + 1 == 1 && ~a + 3 == 0)
}
