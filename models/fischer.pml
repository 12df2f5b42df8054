/*
 * Fischer's timed mutual exclusion protocol, with discrete time.
 * Michael Fischer, 1985 (in a letter to L. Lamport, who published it in
 * "A fast mutual exclusion algorithm", 1987).
 *
 * A process that sees the lock free writes its name into it, within DELTA
 * ticks of having looked; it then waits for EPSILON ticks and enters if the
 * lock still holds its name.  Mutual exclusion depends on time alone: it
 * holds if and only if EPSILON > DELTA.
 *
 * Time is a process that ticks.  It may not tick while some process has
 * used up its DELTA and still has to write: the `provided' clause of Clock.
 *
 * Checked
 *   assertion          never two processes in the critical section
 *   ltl mutex          the same
 *   ltl time_passes
 *                      the clock ticks again and again: no run can stop
 *                      time, as each entry needs EPSILON ticks
 *   ltl expect_fail_no_starvation
 *                      process 0 enters again and again: false, even with
 *                      weak fairness
 *   ltl expect_fail_lock_taken
 *                      process 1 never writes its name: false
 *   -DEPSILON=1        waiting too briefly: VIOLATED
 *
 * Macros
 *   N         number of processes (default 2)
 *   DELTA     ticks within which a write happens (default 1)
 *   EPSILON   ticks to wait (default DELTA + 1)
 *   The states grow by a factor of about 6 with each process.
 */

#ifndef N
#define N 2
#endif
#ifndef DELTA
#define DELTA 1
#endif
#ifndef EPSILON
#define EPSILON (DELTA + 1)
#endif

#define FREE 255

byte lock = FREE;
byte timer[N];         /* ticks left until a deadline or an alarm      */
bool writing[N];       /* process i has looked, and has still to write */
byte urgent;           /* how many must write before the next tick     */
byte inside;
bool tick;             /* flips with each tick                         */

active [N] proctype P()
{
	do
	:: d_step {
		lock == FREE ->
		writing[_pid] = true;
		timer[_pid] = DELTA;
		if
		:: DELTA == 0 -> urgent++
		:: else
		fi
	   }
	   d_step {                     /* the write, in time */
		lock = _pid;
		writing[_pid] = false;
		if
		:: timer[_pid] == 0 -> urgent--
		:: else
		fi;
		timer[_pid] = EPSILON
	   }
	   timer[_pid] == 0;            /* let EPSILON ticks go by */
	   if
	   :: lock == _pid ->
		inside++;
cs:		assert(inside == 1);
		inside--;
		lock = FREE
	   :: else
	   fi
	od
}

proctype Clock() provided (urgent == 0)
{
	byte i;

	do
	:: d_step {
		for (i : 0 .. N-1) {
			if
			:: timer[i] > 0 ->
				timer[i]--;
				if
				:: timer[i] == 0 && writing[i] -> urgent++
				:: else
				fi
			:: else
			fi
		}
		i = 0;
		tick = !tick
	   }
	od
}

init { run Clock() }

ltl mutex { [] (inside < 2) }

ltl time_passes { [] (<> tick && <> !tick) }

ltl expect_fail_no_starvation { [] <> P[0]@cs }

ltl expect_fail_lock_taken { [] (lock != 1) }
