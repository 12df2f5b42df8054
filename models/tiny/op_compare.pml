/* == != < <= > >= give 0 or 1. */
int a = -1, b = 1;
byte n;

init {
	assert(a < b && a <= b && !(a > b) && !(a >= b) && a != b && !(a == b));
	n = (a < b) + (b >= b) + (a == b);
	assert(n == 2)
}
