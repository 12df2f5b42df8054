/*
 * The filter lock: Peterson's algorithm generalised to N processes.
 * Gary L. Peterson, 1981 (the N-process version of the same paper).
 *
 * There are N-1 levels.  At each level the last process to arrive is the
 * victim, and waits until nobody is at its level or above, or until another
 * process has become the victim.  Every level stops at least one process,
 * so that one process at most comes out of the last.
 *
 * Checked
 *   assertion           never two processes in the critical section
 *   ltl at_most_one     the same as an invariant
 *   ltl enters          a process that climbs enters eventually; holds
 *                       with weak fairness, violated without it
 *   ltl expect_fail_no_overtaking
 *                       process 1 never enters while process 0 waits: false
 *   -DBROKEN            only N-2 levels: two processes can be inside
 *
 * Macros
 *   N        number of processes (default 2).  The state space grows by a
 *            factor of 150 and more for each further process.
 *   BROKEN   leave out the last level (needs N >= 3)
 */

#ifndef N
#define N 2
#endif

#ifdef BROKEN
#define LEVELS (N - 2)
#else
#define LEVELS (N - 1)
#endif

byte level[N];         /* level[i]: the level process i is at, 0 = idle  */
byte victim[N];        /* victim[l]: last process that arrived at l      */
byte in_cs;

active [N] proctype P()
{
	byte l;            /* the level being climbed                    */
	byte k;            /* index of the process being looked at       */

	do
	:: l = 1;
	   do
	   :: l <= LEVELS ->
		level[_pid] = l;
		victim[l] = _pid;
		/* wait until no other is as high, or I am no victim */
wait:		k = 0;
		do
		:: k < N && (k == _pid || level[k] < l) -> k++
		:: k < N && k != _pid && level[k] >= l ->
			if
			:: victim[l] != _pid -> break
			:: else -> k = 0        /* look again */
			fi
		:: k == N -> break
		od;
		l++
	   :: l > LEVELS -> break
	   od;
	   k = 0;             /* forget the scratch values: fewer states */
	   l = 0;

	   in_cs++;
cs:	   assert(in_cs == 1);
	   in_cs--;

	   level[_pid] = 0
	od
}

ltl at_most_one { [] (in_cs <= 1) }

ltl enters { [] (level[0] > 0 -> <> P[0]@cs) }

ltl expect_fail_no_overtaking { [] (level[0] > 0 -> (!P[1]@cs W P[0]@cs)) }
