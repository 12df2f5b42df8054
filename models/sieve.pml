/*
 * The sieve of Eratosthenes as a chain of processes.
 * Eratosthenes of Cyrene, about 240 BC; as a pipeline of processes by
 * M. D. McIlroy (1968) and C. A. R. Hoare (CSP, 1978).
 *
 * A counter sends 2, 3, 4, ... into the chain.  Each link keeps the first
 * number that reaches it, which is a prime, and passes on those that it does
 * not divide.  A link is created when a number survives the last one; it is
 * given the channel to read from as a parameter.  At the end of the numbers
 * a zero runs through the chain and the links die.
 *
 * Checked
 *   assertions         each number kept is a prime, greater than the last
 *   ltl two_stays      once found, the prime 2 is never lost
 *   ltl finishes       at last all primes up to MAX are found: holds, since
 *                      no run is infinite
 *   ltl expect_fail_none_above_three
 *                      the largest prime found is at most 3: false
 *   ltl expect_fail_count_first
 *                      all but two primes are found only after the counter
 *                      has finished: false, the links work meanwhile
 *
 * Macros
 *   MAX   largest number that is sent (default 10); at most 30
 *   CAP   capacity of the channels between links (default 1, 0 makes them
 *         rendezvous)
 *   States grow fast with MAX and CAP, from tens to millions.
 */

#ifndef MAX
#define MAX 10
#endif
#ifndef CAP
#define CAP 1
#endif

#define PRIMES ((MAX >= 2) + (MAX >= 3) + (MAX >= 5) + (MAX >= 7) + \
	(MAX >= 11) + (MAX >= 13) + (MAX >= 17) + (MAX >= 19) + \
	(MAX >= 23) + (MAX >= 29))

#define STOP 0

byte found;            /* number of primes found so far */
byte largest;          /* the last of them              */
bool counting = true;

proctype Link(chan from; byte prime)
{
	chan to = [CAP] of { byte };
	byte n;
	bool last = true;      /* no link behind this one yet */

	d_step {
		assert(prime > largest);
		assert(prime == 2 || prime % 2 != 0);
		assert(prime == 3 || prime % 3 != 0);
		assert(prime == 5 || prime % 5 != 0);
		found++;
		largest = prime
	}
	do
	:: from?n ->
		if
		:: n == STOP ->
			if
			:: !last -> to!STOP
			:: else
			fi;
			break
		:: n != STOP && n % prime == 0          /* composite */
		:: n != STOP && n % prime != 0 ->
			if
			:: last -> last = false; run Link(to, n)
			:: else -> to!n
			fi
		fi;
		n = 0
	od
}

init {
	chan first = [CAP] of { byte };
	byte n = 3;

	run Link(first, 2);
	do
	:: n <= MAX -> first!n; n++
	:: else -> break
	od;
	counting = false;
	first!STOP
}

ltl two_stays { [] (found >= 1 -> [] (found >= 1)) }

ltl finishes { <> [] (found == PRIMES) }

ltl expect_fail_none_above_three { [] (largest <= 3) }

ltl expect_fail_count_first { [] (counting -> found <= 2) }
