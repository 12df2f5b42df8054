/*
 * Lamport's fast mutual exclusion algorithm for N processes.
 * Leslie Lamport, "A fast mutual exclusion algorithm", 1987.
 *
 * Without contention a process needs only seven accesses to memory, however
 * many processes there are: it writes x, sees y free, takes y, and finds x
 * still its own.  Only when another interfered does it scan all processes.
 *
 * Process names are 1..N in x and y, as 0 means "free".
 *
 * Checked
 *   assertion       never two processes in the critical section
 *   ltl mutex       the same
 *   ltl some_enter  someone enters again and again: freedom from deadlock
 *   ltl expect_fail_no_starvation
 *                   process 1 enters when it tries: false even with weak
 *                   fairness, the algorithm only promises no deadlock
 *   ltl expect_fail_slow_path_unused
 *                   the scan is never needed: false
 *
 * Macros
 *   N   number of processes (default 2): a factor of about 60 for each
 */

#ifndef N
#define N 2
#endif

byte x, y;
bool busy[N+1];        /* busy[0] is not used */
byte users;

proctype Process(byte me)
{
	byte j;

start:	busy[me] = true;
	x = me;
	if
	:: y != 0 ->
		busy[me] = false;
		y == 0;
		goto start
	:: y == 0
	fi;
	y = me;
	if
	:: x != me ->                   /* somebody interfered */
		busy[me] = false;
slow:		for (j : 1 .. N) {
			!busy[j]
		}
		j = 0;
		if
		:: y != me ->
			y == 0;
			goto start
		:: y == me
		fi
	:: x == me                      /* the fast path */
	fi;

	users++;
critical:
	assert(users == 1);
	users--;

	y = 0;
	busy[me] = false;
	goto start
}

init {
	byte i;

	atomic {
		i = 1;
		do
		:: i <= N -> run Process(i); i++
		:: else -> break
		od;
		i = 0
	}
}

ltl mutex { [] (users <= 1) }

ltl some_enter { [] <> (users == 1) }

ltl expect_fail_no_starvation { [] (busy[1] -> <> Process[1]@critical) }

ltl expect_fail_slow_path_unused { [] !Process[1]@slow }
