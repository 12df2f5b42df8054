/*
 * Peterson's mutual exclusion algorithm for two processes.
 * Gary L. Peterson, "Myths about the mutual exclusion problem", 1981.
 *
 * A process that wants to enter first raises its flag, then politely gives
 * the turn to the other one, and waits as long as the other is interested
 * and has the turn.  The last one to write `turn' is the one who waits.
 *
 * Checked
 *   assertion         never two processes in the critical section
 *   ltl mutex         the same, stated over control locations
 *   ltl live0, live1  a process that raised its flag enters eventually;
 *                     these need weak fairness (violated without it)
 *   ltl expect_fail_always_served
 *                     process 0 enters again and again: false even with
 *                     fairness, as it may rest for ever outside
 *
 * Macros
 *   (none)            the correct algorithm: 82 states
 *   -DBROKEN          the turn is written before the flag is raised, the
 *                     classic mistake: mutual exclusion is lost
 */

bool flag[2];          /* flag[i]: process i wants to enter           */
byte turn;             /* whose turn it is when both want to          */
byte in_cs;            /* ghost variable: how many are in the section */

active [2] proctype P()
{
	byte me = _pid;
	byte other = 1 - _pid;

idle:
	do
	:: true ->                      /* keep on with private work   */
		skip
	:: true ->                      /* ask for the section         */
#ifdef BROKEN
		turn = other;
		flag[me] = true;
#else
		flag[me] = true;
		turn = other;
#endif
wait:		(!flag[other] || turn == me);

		in_cs++;
cs:		assert(in_cs == 1);
		in_cs--;

		flag[me] = false
	od
}

ltl mutex { [] !(P[0]@cs && P[1]@cs) }

ltl live0 { [] (P[0]@wait -> <> P[0]@cs) }

ltl live1 { [] (P[1]@wait -> <> P[1]@cs) }

ltl expect_fail_always_served { [] <> P[0]@cs }
