/*
 * A lock that tests and then sets, in two steps: a race.
 *
 * The mistake every beginner makes once.  With an atomic test-and-set
 * (IBM System/360, 1964) the same lock is correct, though not fair.
 *
 * Checked
 *   assertion        never two processes in the critical section: VIOLATED
 *                    unless -DATOMIC
 *   ltl mutex        the same
 *   ltl enters       process 0 enters when it tries: needs strong fairness,
 *                    violated even under weak fairness
 *   ltl used         somebody enters again and again
 *
 * Macros
 *   N         number of processes (default 2); a factor of about 7 for each
 *   ATOMIC    use one indivisible test-and-set
 */

#ifndef N
#define N 2
#endif

bool lock;
byte holders;

active [N] proctype Racer()
{
trying:
#ifdef ATOMIC
	atomic { !lock -> lock = true };
#else
	!lock ->                     /* another may pass here too ... */
	lock = true;                 /* ... before this is done       */
#endif
	holders++;
inside:	assert(holders == 1);
	holders--;
	lock = false;
	goto trying
}

ltl mutex { [] (holders <= 1) }

ltl enters { [] (Racer[0]@trying -> <> Racer[0]@inside) }

ltl used { [] <> (holders > 0) }
