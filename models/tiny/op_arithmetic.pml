/* + - * / % and unary minus; division rounds to zero. */
int a = 7, b = -2;

init {
	assert(a + b == 5 && a - b == 9 && a * b == -14);
	assert(a / b == -3 && a % b == 1 && b % a == -2);
	assert(-a == -7 && - -a == 7 && 2 - -3 == 5)
}
