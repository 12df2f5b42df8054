/* q?<x> reads the head and leaves it there. */
chan q = [2] of { byte, byte };

init {
	byte a, b;
	q!7,8;
	q?<a,b>; assert(a == 7 && b == 8 && len(q) == 1);
	q?<7,b>; assert(len(q) == 1);
	q?a,b;   assert(empty(q))
}
