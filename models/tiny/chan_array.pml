/* An array of channels; each element is a channel of its own. */
#ifndef N
#define N 3
#endif
chan link[N] = [1] of { byte };

active [N] proctype Node() {
	byte v;
	link[_pid]!_pid;
	link[(_pid + 1) % N]?v;
	assert(v == (_pid + 1) % N)
}
