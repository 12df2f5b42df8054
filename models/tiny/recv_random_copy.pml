/* q??<pattern> reads the oldest match and leaves it there. */
mtype = { a, b };
chan q = [3] of { mtype, byte };

init {
	byte v;
	q!a(1); q!b(2); q!b(3);
	q??<b,v>;  assert(v == 2 && len(q) == 3);
	q??<b(v)>; assert(v == 2 && len(q) == 3);
	q??<a,v>;  assert(v == 1)
}
