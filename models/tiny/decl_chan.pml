/* Channels: buffered, rendezvous, of several fields, local, and by assignment. */
chan buffered = [2] of { byte, bool };
chan alias;

init {
	chan mine = [1] of { int };
	byte v; bool b; int i;
	alias = buffered;
	alias!7,true;
	mine!-3;
	buffered?v,b;
	mine?i;
	assert(v == 7 && b && i == -3)
}
