/*
 * A reusable barrier made of semaphores: the double turnstile.
 * Allen B. Downey, "The little book of semaphores", 2005; the idea of a
 * barrier is much older (H. F. Jordan, 1978).
 *
 * N processes work in rounds; none may begin a round before all have ended
 * the last one.  The last to arrive opens a first turnstile through which
 * all pass; the last to pass opens a second, which brings the barrier back
 * to its first state.
 *
 * Checked
 *   assertion        two processes are never more than one round apart
 *   ltl together     processes 0 and 1 differ by one round at most
 *   ltl rounds       process 0 begins new rounds for ever
 *   ltl expect_fail_lockstep
 *                    all begin a round at the same moment: false
 *   ltl expect_fail_first_leads
 *                    process 1 never is ahead of process 0: false
 *   -DSINGLE         a single turnstile, which is not reset in time: a fast
 *                    process runs through it twice, and somebody is left
 *                    behind
 *
 * Macros
 *   N        number of processes (default 2); a factor of about 7 for each
 *   ROUNDS   rounds are counted modulo this number (default 4, at least 3)
 *   SINGLE   the wrong barrier with one turnstile
 */

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif

byte mutex = 1, turnstile1, turnstile2 = 1;    /* semaphores */
byte count;                                    /* processes at the barrier */
byte round[N];

inline wait(sem)   { atomic { sem > 0 -> sem-- } }
inline signal(sem) { sem++ }

#define APART(a, b)	((ROUNDS + a - b) % ROUNDS)
#define NEAR(a, b)	(APART(a, b) <= 1 || APART(b, a) <= 1)

active [N] proctype Worker()
{
	byte other;

work:	skip;                   /* the work of this round */
	d_step {
		for (other : 0 .. N-1) {
			assert(NEAR(round[_pid], round[other]))
		}
		other = 0
	}

	wait(mutex);
	count++;
	if
	:: count == N ->
#ifndef SINGLE
		wait(turnstile2);       /* lock the second */
#endif
		signal(turnstile1)      /* open the first  */
	:: else
	fi;
	signal(mutex);

	wait(turnstile1);
	signal(turnstile1);

	wait(mutex);
	count--;
	if
	:: count == 0 ->
		wait(turnstile1);
#ifndef SINGLE
		signal(turnstile2)
#endif
	:: else
	fi;
	signal(mutex);

#ifndef SINGLE
	wait(turnstile2);
	signal(turnstile2);
#endif
	round[_pid] = (round[_pid] + 1) % ROUNDS;
	goto work
}

ltl together { [] NEAR(round[0], round[1]) }

ltl rounds { [] (<> (round[0] == 0) && <> (round[0] == 1)) }

ltl expect_fail_lockstep { [] (round[0] == round[1]) }

ltl expect_fail_first_leads { [] (round[0] == round[1] || APART(round[0], round[1]) == 1) }
