/* Numbers, true, false, skip used as values. */
int n = 007;
bool b = true;

init {
	assert(n == 7 && 1000000 > 999999);
	n = true + true + false;
	assert(n == 2 && b == 1 && !false)
}
