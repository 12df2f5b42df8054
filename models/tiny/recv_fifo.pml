/* q?x takes the head; constants in the pattern must match the head. */
mtype = { data, stop };
chan q = [3] of { mtype, byte };

init {
	byte v;
	q!data(4); q!stop(0);
	if
	:: q?stop,v -> assert(false)
	:: q?data,v -> assert(v == 4)
	fi;
	q?stop,0
}
