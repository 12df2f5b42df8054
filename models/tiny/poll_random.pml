/* q??[pattern]: can any message be received? */
mtype = { one, two };
chan q = [2] of { mtype, byte };

init {
	q!two(5); q!one(6);
	if
	:: q??[one,6] -> q??one,_
	:: else -> assert(false)
	fi;
	assert(!q??[one,6] && q??[two(5)])
}
