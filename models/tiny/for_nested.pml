/* Loops inside loops, with break. */
byte hits;

init {
	byte i, j;
	for (i : 0 .. 2) {
		for (j : 0 .. 2) {
			if
			:: i == j -> hits++; break
			:: else -> skip
			fi
		}
	}
	assert(hits == 3)
}
