/*
 * Anderson's array-based queue lock for N processes.
 * Thomas E. Anderson, "The performance of spin lock alternatives for
 * shared-memory multiprocessors", 1990.
 *
 * Each process draws a slot of a ring with one atomic fetch-and-increment,
 * and spins on that slot alone; whoever leaves the section marks the next
 * slot.  The lock is first come, first served.
 *
 * Checked
 *   assertion        never two processes in the critical section
 *   ltl one_slot     at most one slot is marked
 *   ltl fifo         when process 0 has a slot and process 1 has none,
 *                    process 1 does not enter before process 0
 *   ltl progress0    process 0 enters when it has a slot; holds with weak
 *                    fairness, violated without it
 *   ltl expect_fail_slot_stays
 *                    slot 0 stays marked: false
 *   -DSLOTS=...      fewer slots than processes: the ring wraps onto a slot
 *                    in use and mutual exclusion is lost
 *
 * Macros
 *   N       number of processes (default 3)
 *   SLOTS   number of slots (default N)
 *   STEPS   length of the critical section in steps (default 1)
 *   The number of states grows by a factor of about 18 with each process.
 */

#ifndef N
#define N 3
#endif

#ifndef SLOTS
#define SLOTS N
#endif

#ifndef STEPS
#define STEPS 1
#endif

#define NONE 255

bool may_enter[SLOTS];
byte next_slot;
byte slot_of[N] = NONE;    /* ghost: the slot of each process, for ltl */
byte inside;

inline fetch_and_increment(mine)
{
	d_step {
		mine = next_slot;
		next_slot = (next_slot + 1) % SLOTS;
		slot_of[id] = mine
	}
}

proctype Worker(byte id)
{
	byte mine = NONE;
	byte work;

	do
	:: fetch_and_increment(mine);
	   may_enter[mine];             /* spin on my own slot */

	   inside++;
critical:  assert(inside == 1);
	   do
	   :: work < STEPS -> work++
	   :: else -> work = 0; break
	   od;
	   inside--;

	   may_enter[mine] = false;
	   slot_of[id] = NONE;
	   may_enter[(mine + 1) % SLOTS] = true;
	   mine = NONE
	od
}

init {
	byte i;

	may_enter[0] = true;
	atomic {
		for (i : 0 .. N-1) { run Worker(i) }
		i = 0
	}
}

#define CRIT(i)	Worker[i+1]@critical

ltl one_slot { [] !(may_enter[0] && may_enter[1]) }

ltl fifo { [] ((slot_of[0] != NONE && slot_of[1] == NONE) -> (!CRIT(1) W (CRIT(0) || slot_of[0] == NONE))) }

ltl progress0 { [] (slot_of[0] != NONE -> <> CRIT(0)) }

ltl expect_fail_slot_stays { <> [] may_enter[0] }
