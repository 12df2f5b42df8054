/* active [N]: several instances, told apart by _pid. */
#ifndef N
#define N 3
#endif
byte hits[N];
byte total;

active [N] proctype Worker() {
	hits[_pid]++;
	total++;
	assert(hits[_pid] == 1 && total <= N)
}
