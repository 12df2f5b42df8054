/*
 * A watchdog timer (used since the 1960s in telephone exchanges and spacecraft).
 *
 * WORKERS workers do their job and kick the watchdog now and then. A worker may
 * hang. When nothing moves any more, time passes: the watchdog counts a tick, and
 * after LIMIT ticks without a kick it restarts the workers that hang, at most
 * RESTARTS times; then it switches the system to a safe state.
 *
 * "timeout" is Promela's word for "nothing else can happen".
 *
 * Checked: a worker that works is never restarted; the system never stops in a
 * state that is not safe; restarts are bounded. That work is always done in the
 * end must fail.
 *
 * Macros: WORKERS (about 11 times the states each), JOBS per worker, RESTARTS, LIMIT,
 * BROKEN (the watchdog does not wait for a timeout).
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef JOBS
#define JOBS 2
#endif
#ifndef RESTARTS
#define RESTARTS 2
#endif
#ifndef LIMIT
#define LIMIT 2
#endif

mtype = { running, hung, finished };

chan kick = [0] of { byte };
mtype state[WORKERS] = running;
byte jobs[WORKERS];
byte ticks, restarts;
bool safe;
byte ready;			/* workers that have finished */

proctype Worker(byte me) {
	do
	:: safe -> break
	:: !safe && state[me] == running && jobs[me] < JOBS ->
		if
		:: jobs[me]++; kick!me			/* work, and say so */
		:: state[me] = hung;			/* a fault */
			(state[me] == running || safe)
		fi
	:: !safe && state[me] == running && jobs[me] == JOBS ->
		atomic { state[me] = finished; ready++ };
		break
	od
}

proctype Watchdog() {
	byte i;
	do
	:: kick?_ -> ticks = 0
	:: atomic { ready == WORKERS -> break }
#ifdef BROKEN
	:: ready < WORKERS ->
#else
	:: timeout ->
#endif
		if
		:: ticks < LIMIT -> ticks++
		:: ticks == LIMIT && restarts < RESTARTS ->
			ticks = 0;
			restarts++;
			atomic {
				for (i : 0 .. WORKERS - 1) {
					assert(state[i] != running);
					if
					:: state[i] == hung -> state[i] = running
					:: else
					fi
				}
				i = 0
			}
		:: ticks == LIMIT && restarts == RESTARTS ->
			safe = true;
			break
		fi
	od
}

init {
	byte i;
	atomic {
		run Watchdog();
		for (i : 0 .. WORKERS - 1) { run Worker(i) }
		i = 0
	}
}

ltl restarts_bounded   { [] (restarts <= RESTARTS) }
ltl safe_or_ready      { <> (safe || ready == WORKERS) }
ltl safe_is_last_resort { [] (safe -> restarts == RESTARTS) }
ltl all_work_done_fails { <> (ready == WORKERS) }
ltl never_restarts_fails { [] (restarts == 0) }
