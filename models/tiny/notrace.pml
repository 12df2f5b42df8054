/* notrace: the automaton describes a run that must not happen completely. */
mtype = { open, shut };
chan door = [1] of { mtype };

notrace {
	door!open;
	door!open
}

active proctype A() { door!open; door!shut }
active proctype B() {
	door?open; door?shut
}
