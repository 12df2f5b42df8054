/* P[e]:v reads a local variable of another process. */
active proctype P() {
	byte mine = 3;
	mine = 4;
	mine = 5
}

active proctype Watch() {
	byte seen;
	seen = P[0]:mine;
	assert(seen == 0 || 3 <= seen && seen <= 5)
}
