/* q??pattern takes the oldest message that matches. */
chan q = [3] of { byte, byte };

init {
	byte v;
	q!1,10; q!2,20; q!2,30;
	q??2,v;  assert(v == 20);
	q??2(v); assert(v == 30);
	q?1,v;   assert(v == 10 && len(q) == 0)
}
