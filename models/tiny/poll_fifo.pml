/* q?[pattern]: can the head be received? No side effect. */
mtype = { one, two };
chan q = [2] of { mtype, byte };

init {
	byte v = 5;
	q!two(5); q!one(6);
	assert(q?[two,5] && q?[two,eval(v)] && !q?[one,6]);
	(q?[two,v]);
	assert(len(q) == 2 && v == 5)
}
