/* A notrace without an end can never be matched; one event that does not fit switches it off all the same, and SPIN
 * tells the two states apart. */
chan door = [1] of { byte };

notrace {
	do
	:: door?1
	od
}

active proctype A() {
	byte x;

	do
	:: door!0; door?x
	od
}
