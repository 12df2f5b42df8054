/*
 * Dekker's algorithm: mutual exclusion for two processes.
 * Th. J. Dekker, around 1959; published by E. W. Dijkstra in 1962-1965.
 * The first correct solution that uses only reads and writes.
 *
 * Both processes raise a flag.  On conflict the one without the turn lowers
 * its flag and waits for the turn, which is handed over on leaving.
 *
 * Checked
 *   assertion        never two processes in the critical section
 *   ltl mutex        the same over control locations
 *   ltl no_deadlock  if both want in, one of them gets in; holds with weak
 *                    fairness, violated without it
 *   ltl no_starvation
 *                    process A that wants in gets in; holds with fairness
 *   ltl expect_fail_turn_is_fixed
 *                    the turn never changes: false
 *   ltl expect_fail_alternate
 *                    A cannot enter twice in a row: false
 *
 * Macros
 *   (none)           about two hundred states
 *   -DNO_TURN        without the tie-break: both retreat and retry.  Still
 *                    mutually exclusive, but after-you-after-you starvation
 *                    is possible even with fairness.
 */

mtype:who = { A, B }

mtype:who turn = A;
bool wants_a, wants_b;

#define CS_A	DekkerA@critical
#define CS_B	DekkerB@critical

byte busy;             /* ghost: number of processes inside */

inline enter_section()
{
	busy++
}

inline leave_section()
{
	assert(busy == 1);
	busy--
}

inline lock(mine, his, me)
{
	mine = true;
	do
	:: his ->
#ifdef NO_TURN
		mine = false;
		mine = true
#else
		if
		:: turn != me ->
			mine = false;
			turn == me;     /* blocks until it is my turn */
			mine = true
		:: else                 /* my turn: insist        */
		fi
#endif
	:: else -> break
	od
}

inline unlock(mine, he)
{
	turn = he;
	mine = false
}

active proctype DekkerA()
{
	do
	:: true;
trying:	   lock(wants_a, wants_b, A);
	   enter_section();
critical:  skip;
	   leave_section();
	   unlock(wants_a, B)
	od
}

active proctype DekkerB()
{
	do
	:: true;
trying:	   lock(wants_b, wants_a, B);
	   enter_section();
critical:  skip;
	   leave_section();
	   unlock(wants_b, A)
	od
}

ltl mutex { [] !(CS_A && CS_B) }

ltl no_deadlock { [] ((wants_a && wants_b) -> <> (CS_A || CS_B)) }

ltl no_starvation { [] (DekkerA@trying -> <> CS_A) }

ltl expect_fail_turn_is_fixed { [] (turn == A) }

ltl expect_fail_alternate { [] (CS_A -> (CS_A W (!CS_A W CS_B))) }
