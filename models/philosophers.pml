/*
 * The dining philosophers.
 * E. W. Dijkstra, 1965 (as an examination question); the story and the name
 * are by C. A. R. Hoare.
 *
 * N philosophers sit around a table, a fork between each two of them.  To
 * eat, a philosopher needs both forks beside him.  If all take the left
 * fork first, and wait for the right one, nobody ever eats again.
 *
 * A fork is a channel that holds one token while the fork lies on the table.
 *
 * Checked
 *   invalid end state   the deadlock; only without -DORDERED and -DWAITER
 *   assertion           neighbours never eat at the same time
 *   ltl neighbours      the same for philosophers 0 and 1
 *   ltl expect_fail_nobody_starves
 *                       philosopher 0 eats again and again: violated
 *                       without fairness in all three versions
 *   ltl someone_eats    somebody eats again and again
 *
 * Macros
 *   N         number of philosophers, at least 2 (default 3); the states
 *             grow by a factor of about 4 to 6 with each
 *   ORDERED   the last philosopher takes his right fork first, so that all
 *             take the fork with the smaller number first (Dijkstra)
 *   WAITER    a waiter lets at most N-1 of them sit down
 */

#ifndef N
#define N 3
#endif

#define LEFT(i)   (i)
#define RIGHT(i)  (((i) + 1) % N)

chan fork[N] = [1] of { bit };
bool eating[N];

#ifdef WAITER
byte seats = N - 1;    /* free seats that the waiter will give away */
#endif

inline take(f)
{
	fork[f]?_
}

inline put_back(f)
{
	fork[f]!1
}

proctype Philosopher(byte id)
{
	byte first = LEFT(id), second = RIGHT(id);

#ifdef ORDERED
	if
	:: first > second -> first = second; second = LEFT(id)
	:: else
	fi;
#endif

	do
	:: /* thinking */
#ifdef WAITER
	   atomic { seats > 0 -> seats-- };
#endif
	   take(first);
	   take(second);
	   eating[id] = true;
eat:	   assert(!eating[(id + 1) % N] && !eating[(id + N - 1) % N]);
	   eating[id] = false;
	   put_back(second);
	   put_back(first);
#ifdef WAITER
	   seats++
#endif
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N-1) {
			fork[i]!1;
			run Philosopher(i)
		}
	}
}

ltl neighbours { [] !(eating[0] && eating[1]) }

ltl someone_eats { [] <> (eating[0] || eating[1] || eating[N-1]) }

ltl expect_fail_nobody_starves { [] <> eating[0] }
