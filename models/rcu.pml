/*
 * Read-copy-update with quiescence counting.
 * Paul E. McKenney and John D. Slingwine, "Read-copy update: using execution
 * history to solve concurrency problems", 1998.
 *
 * Readers follow a pointer to the current version, without a lock.  The
 * updater publishes a new version, then waits until every reader has passed
 * a quiescent state (it was outside its read section at least once), and
 * only then frees the old version.
 *
 * Checked
 *   assertion        a reader never uses a version that was freed, and the
 *                    updater always finds a free slot
 *   ltl safe_current the current version is never free
 *   ltl grace_ends   a grace period that has begun comes to its end:
 *                    violated, even with weak fairness, as the updater may
 *                    look only when a reader has passed an even number of
 *                    times and is inside again; the count has one bit
 *   ltl expect_fail_old_version_unused
 *                    a reader always reads the newest version: false, this
 *                    is the price of reading without a lock
 *   -DBROKEN         the updater frees at once: readers see freed memory
 *
 * Macros
 *   N         number of readers (default 2); a factor of about 35 for each
 *   VERSIONS  number of slots for versions (default 2)
 *   BROKEN    no grace period
 */

#ifndef N
#define N 2
#endif
#ifndef VERSIONS
#define VERSIONS 2
#endif

typedef Slot {
	bool live;
	byte users         /* ghost: readers that hold this version */
};

Slot slot[VERSIONS];
byte current;
bool in_section[N];    /* reader i is in its read section         */
bit  passes[N];        /* flips when reader i leaves its section  */

proctype Reader(byte id)
{
	byte ver;

	do
	:: in_section[id] = true;
	   ver = current;                       /* rcu_dereference */
	   slot[ver].users++;
use:	   assert(slot[ver].live);
	   slot[ver].users--;
	   ver = 0;
	   d_step {
		in_section[id] = false;         /* rcu_read_unlock */
		passes[id] = 1 - passes[id]
	   }
	od
}

proctype Updater()
{
	byte old, new, i;
	bit seen[N];

	do
	:: /* copy and update: pick a slot that is not live */
	   select (new : 0 .. VERSIONS-1);
	   if
	   :: slot[new].live -> skip            /* try another */
	   :: else ->
		slot[new].live = true;
		old = current;
		current = new;                  /* rcu_assign_pointer */

#ifdef BROKEN
grace:		skip;
#else
		/* synchronize_rcu: snapshot, then wait for each reader */
		d_step {
			for (i : 0 .. N-1) { seen[i] = passes[i] }
			i = 0
		}
grace:		for (i : 0 .. N-1) {
			(!in_section[i] || passes[i] != seen[i])
		}
		i = 0;
		d_step {                        /* forget: fewer states */
			for (i : 0 .. N-1) { seen[i] = 0 }
			i = 0
		}
#endif
freed:		skip;
		d_step {
			assert(old != current);
			slot[old].live = false;
			old = 0
		}
	   fi;
	   new = 0
	od
}

init {
	byte i;

	slot[0].live = true;
	atomic {
		run Updater();
		for (i : 0 .. N-1) { run Reader(i) }
		i = 0
	}
}

ltl safe_current { [] (!Reader[2]@use || slot[current].live) }

ltl grace_ends { [] (Updater@grace -> <> Updater@freed) }

ltl expect_fail_old_version_unused { [] (slot[1 - current].users == 0) }
