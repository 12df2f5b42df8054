/*
 * The MCS queue lock for N processes.
 * John M. Mellor-Crummey and Michael L. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", 1991.
 *
 * Waiting processes form a linked list; each spins on a flag in its own
 * record.  A newcomer swaps itself into `tail' and links itself behind its
 * predecessor; who leaves hands the lock to its successor, or, if it sees
 * none, tries to set the tail back with compare-and-swap.
 *
 * Records are numbered 1..N, 0 is the null pointer.
 *
 * Checked
 *   assertion         never two processes in the critical section
 *   ltl exclusion     the same over control locations
 *   ltl handover      a process that waits in the queue gets the lock;
 *                     holds even without fairness
 *   ltl expect_fail_lock_gets_free
 *                     the lock becomes free again and again: false, even
 *                     with fairness
 *   ltl expect_fail_never_waits
 *                     a leaving process never has to wait for its
 *                     successor to link itself: false
 *
 * Macros
 *   N        number of processes (default 2); a factor of 30 for each
 *   BROKEN   the release uses test-then-write in place of compare-and-swap:
 *            a process that swaps itself in between is lost for ever, which
 *            shows as an invalid end state
 */

#ifndef N
#define N 2
#endif

typedef Record {
	byte succ;     /* record of the successor, 0 if none */
	bool locked    /* wait while this is set           */
};

Record rec[N+1];
byte tail;
byte owners;

#define ME	(_pid + 1)

active [N] proctype Thread()
{
	byte other;            /* predecessor, then expected tail */

	do
	:: /* ----- acquire ----- */
	   rec[ME].succ = 0;
	   d_step { other = tail; tail = ME };          /* swap */
	   if
	   :: other != 0 ->
		rec[ME].locked = true;
		rec[other].succ = ME;
		other = 0;
queued:		!rec[ME].locked
	   :: else
	   fi;

	   owners++;
critical:  assert(owners == 1);
	   owners--;

	   /* ----- release ----- */
	   if
	   :: rec[ME].succ == 0 ->
#ifdef BROKEN
		if
		:: tail == ME -> tail = 0; goto done
		:: else
		fi;
#else
		if
		:: d_step { tail == ME -> tail = 0 }; goto done
		:: else
		fi;
#endif
linking:	rec[ME].succ != 0
	   :: else
	   fi;
	   rec[rec[ME].succ].locked = false;
done:	   skip
	od
}

ltl exclusion { [] !(Thread[0]@critical && Thread[1]@critical) }

ltl handover { [] (Thread[0]@queued -> <> Thread[0]@critical) }

ltl expect_fail_lock_gets_free { [] <> (tail == 0) }

ltl expect_fail_never_waits { [] !(Thread[0]@linking && rec[1].succ == 0) }
