/* for (i : a .. b) counts over a range, bounds included; empty when a > b. */
int sum;
byte turns, last = 2;

init {
	int i;
	for (i : 1 .. 4) {
		sum = sum + i
	}
	for (i : 3 .. last) { turns++ }
	assert(turns == 0);
	for (i : -1 .. turns + 1) { turns++; if :: turns > 9 -> break :: else fi }
	assert(sum == 10)
}
