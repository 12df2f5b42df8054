/* show: a global whose changes a graphical tool displays; no effect on the meaning. */
show byte level;
mtype = { low, high };
show mtype state = low;

active proctype P() {
	level = 1;
	level = 2;
	assert(level > 0)
}
