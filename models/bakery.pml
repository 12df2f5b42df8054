/*
 * The bakery algorithm for N processes.
 * Leslie Lamport, "A new solution of Dijkstra's concurrent programming
 * problem", 1974.
 *
 * As in a bakery, a customer draws a number larger than all he sees, and is
 * served when his number is the smallest; equal numbers are possible, and
 * then the process with the smaller index goes first.  The `choosing' flag
 * makes others wait while a number is being drawn.
 *
 * The numbers grow without bound as long as the bakery is never empty.  To
 * keep the state space finite, a customer who would draw a number above
 * MAX gives up, and tries again later.
 *
 * Checked
 *   assertion            never two processes in the critical section
 *   ltl mutex            the same
 *   ltl bounded          no number above MAX is ever drawn
 *   ltl served           who holds a number is served: violated, and weak
 *                        fairness does not help.  It holds in the original;
 *                        here a process that finds no number tries again
 *                        and again, so that its `choosing' flag is not
 *                        down continuously, and others may miss it
 *   ltl expect_fail_unique_numbers
 *                        two processes never hold equal numbers: false
 *   ltl expect_fail_never_full
 *                        the bound MAX is never reached: false
 *
 * Macros
 *   N     number of processes (default 2)
 *   MAX   largest number (default 2)
 *   The space grows about linearly with MAX, and by a factor of about 80
 *   and more for each process.
 */

#ifndef N
#define N 2
#endif

#ifndef MAX
#define MAX 2
#endif

bool choosing[N];
byte number[N];        /* 0: not interested */
byte inside;

/* does j, with its number, go before the caller? */
#define BEFORE(j) (number[j] != 0 && \
	(number[j] < number[_pid] || (number[j] == number[_pid] && j < _pid)))

active [N] proctype Customer()
{
	byte max;
	byte j;

again:
	choosing[_pid] = true;
	for (j : 0 .. N-1) {
		if
		:: number[j] > max -> max = number[j]
		:: else
		fi
	}
	j = 0;
	if
	:: max < MAX ->
		number[_pid] = max + 1;
		max = 0;
		choosing[_pid] = false
	:: else ->                      /* out of numbers: come back later */
		max = 0;
		choosing[_pid] = false;
		goto again
	fi;

wait:	do
	:: j < N ->
		!choosing[j];
		!BEFORE(j);
		j++
	:: else ->
		j = 0;
		break
	od;

	inside++;
served:	assert(inside == 1);
	inside--;

	number[_pid] = 0;
	goto again
}

ltl mutex { [] (inside < 2) }

ltl bounded { [] (number[0] <= MAX && number[1] <= MAX) }

ltl served { [] (number[0] > 0 -> <> Customer[0]@served) }

ltl expect_fail_unique_numbers { [] (number[0] == 0 || number[0] != number[1]) }

ltl expect_fail_never_full { [] (number[0] != MAX) }
