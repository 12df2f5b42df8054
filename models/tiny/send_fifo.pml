/* q!a,b and q!a(b): the same fifo send in two spellings; a full channel blocks. */
mtype = { msg };
chan q = [2] of { mtype, byte };

active proctype S() { q!msg,1; q!msg(2); q!msg,1+2 }
active proctype R() {
	byte v;
	q?msg,v; assert(v == 1);
	q?msg(v); assert(v == 2);
	q?msg,v; assert(v == 3)
}
