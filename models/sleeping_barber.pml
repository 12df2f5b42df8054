/*
 * The sleeping barber.
 * E. W. Dijkstra, "Cooperating sequential processes", 1965.
 *
 * A barber sleeps while there are no customers.  A customer who finds a free
 * chair sits down and waits for his haircut; if all chairs are taken he goes
 * away.  When no customer will ever come again (timeout) the shop closes.
 *
 * The chairs are a channel of customers, the end of a haircut a rendezvous
 * between the barber and the customer in question.
 *
 * Checked
 *   assertions         all customers were served or went away when the shop
 *                      closes; never more customers than chairs
 *   invalid end state  everybody gets home
 *   ltl chairs_limit   never more waiting customers than chairs
 *   ltl gets_haircut   a customer who sits is served: holds, all runs end
 *   ltl closes         the shop closes at last
 *   ltl expect_fail_nobody_leaves
 *                      nobody is turned away: false if N > CHAIRS + 1
 *   ltl expect_fail_never_sleeps
 *                      the barber has a customer at all times: false
 *   -DNAIVE            looking for a chair and sitting down are two steps:
 *                      two customers may go for the same chair, VIOLATED
 *
 * Macros
 *   N        number of customers (default 3); a factor of about 20 for each
 *   CHAIRS   number of chairs (default 1)
 *   VISITS   how many times each customer comes (default 1)
 *   NAIVE    the race
 */

#ifndef N
#define N 3
#endif
#ifndef CHAIRS
#define CHAIRS 1
#endif
#ifndef VISITS
#define VISITS 1
#endif

chan chair = [N] of { byte };          /* customers in order of arrival */
chan finished[N] = [0] of { bool };
byte served, turned_away;
bool cutting, closed;

proctype Customer(byte id)
{
	byte visit;

	do
	:: visit < VISITS ->
		visit++;
		if
#ifdef NAIVE
		:: len(chair) < CHAIRS -> chair!id
#else
		:: atomic { len(chair) < CHAIRS -> chair!id }
#endif
			;
			assert(len(chair) <= CHAIRS);
seated:			finished[id]?true;
happy:			skip
		:: len(chair) >= CHAIRS ->
			turned_away++
		fi
	:: else -> break
	od
}

proctype Barber()
{
	byte who;

	do
	:: chair?who ->
		cutting = true;
		served++;
		cutting = false;
		finished[who]!true;
		who = 0
	:: timeout ->                   /* nobody will come any more */
		break
	od;
	closed = true;
	assert(served + turned_away == N * VISITS)
}

init {
	byte i;

	atomic {
		run Barber();
		for (i : 0 .. N-1) { run Customer(i) }
		i = 0
	}
}

ltl chairs_limit { [] (len(chair) <= CHAIRS) }

ltl gets_haircut { [] (Customer[2]@seated -> <> Customer[2]@happy) }

ltl closes { <> closed }

ltl expect_fail_nobody_leaves { [] (turned_away == 0) }

ltl expect_fail_never_sleeps { [] (served > 0 -> cutting) }
