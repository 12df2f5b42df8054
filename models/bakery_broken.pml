/*
 * A wrong bakery: Lamport's algorithm (1974) without the `choosing' flag.
 *
 * A slow customer may read all numbers, be overtaken by one who draws the
 * same number, and write his own afterwards.  If his index is smaller, he
 * then goes first although the other is already inside.  The exercise for
 * the reader is to find that run; the model checker prints it.
 *
 * Checked
 *   assertion       never two processes in the critical section: VIOLATED
 *   ltl expect_fail_mutex
 *                   the same over control locations: VIOLATED
 *   ltl one_winner_at_last
 *                   the section is used again and again; violated without
 *                   fairness, as nobody needs to finish, holds with it
 *
 * Macros
 *   N     number of processes (default 2)
 *   MAX   largest number that may be drawn (default 2); a customer waits
 *         outside while someone holds the largest one
 *   ATOMIC_DOORWAY   reading and writing the number in one step repairs it
 */

#ifndef N
#define N 2
#endif

#ifndef MAX
#define MAX 2
#endif

byte number[N];
byte customers_inside;

inline draw(seen, k)
{
	for (k : 0 .. N-1) {
		if
		:: number[k] > seen -> seen = number[k]
		:: else
		fi
	}
	k = 0
}

proctype Customer(byte id)
{
	byte seen, k;

	do
	::
#ifdef ATOMIC_DOORWAY
	   d_step {
		draw(seen, k);
		if
		:: seen < MAX -> number[id] = seen + 1
		:: else
		fi;
		seen = 0
	   }
#else
	   draw(seen, k);
	   if
	   :: seen < MAX -> number[id] = seen + 1
	   :: else
	   fi;
	   seen = 0;
#endif
	   if
	   :: number[id] > 0 ->
		for (k : 0 .. N-1) {
			(number[k] == 0 || number[k] > number[id]
				|| (number[k] == number[id] && k >= id))
		}
		k = 0;
		customers_inside++;
critical:	assert(customers_inside == 1);
		customers_inside--;
		number[id] = 0
	   :: else              /* no number to be had: try again */
	   fi
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N-1) {
			run Customer(i)
		}
		i = 0
	}
}

ltl expect_fail_mutex { [] !(Customer[1]@critical && Customer[2]@critical) }

ltl one_winner_at_last { [] <> (customers_inside > 0) }
