/* q!!e inserts in order, field by field. */
chan q = [3] of { byte, byte };

init {
	byte a, b;
	q!!5,1; q!!2,9; q!!5(0);
	q?a,b; assert(a == 2 && b == 9);
	q?a,b; assert(a == 5 && b == 0);
	q?a(b); assert(a == 5 && b == 1)
}
