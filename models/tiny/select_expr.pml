/* select with bounds that are expressions. */
byte lo = 1, hi = 3;
int pick;

active proctype P() {
	select (pick : lo .. hi + 1);
	assert(lo <= pick && pick <= hi + 1)
}
