/*
 * Hyman's algorithm: a wrong solution of the mutual exclusion problem.
 * Harris Hyman, "Comments on a problem in concurrent programming control",
 * Communications of the ACM, 1966.  It was printed as a simplification of
 * Dijkstra's algorithm; D. E. Knuth showed in the same year that it fails.
 *
 * Like Dekker's algorithm it has a flag per process and a turn, but the turn
 * is taken after the test of the other flag, in a separate step.  In between
 * the owner of the turn may walk into the section.
 *
 * Checked
 *   assertion        never two processes in the critical section: VIOLATED
 *   ltl expect_fail_mutex
 *                    the same over control locations: VIOLATED
 *   ltl expect_fail_never_overtaken
 *                    VIOLATED as well
 *   ltl keeps_going  someone is in the section again and again: this is
 *                    true, but a checker that also looks at assertions will
 *                    report the assertion first
 *
 * Macros
 *   (none)
 */

bool wants[2];
byte turn;
byte count;            /* ghost: number of processes inside */

active [2] proctype Hyman()
{
	pid me = _pid;

again:
	wants[me] = true;
	do
	:: turn != me ->
		!wants[1 - me];
		turn = me               /* too late: the test may be stale */
	:: turn == me ->
		break
	od;

	count++;
critical:
	assert(count == 1);
	count--;
	wants[me] = false;
	goto again
}

ltl expect_fail_mutex { [] !(Hyman[0]@critical && Hyman[1]@critical) }

ltl expect_fail_never_overtaken { [] (wants[0] -> (!Hyman[1]@critical W Hyman[0]@critical)) }

ltl keeps_going { [] <> (Hyman[0]@critical || Hyman[1]@critical) }
