/*
 * Leader election in a unidirectional ring.
 * D. Dolev, M. Klawe and M. Rodeh, "An O(n log n) unidirectional distributed
 * algorithm for extrema finding in a circle", 1982 (found independently by
 * G. Peterson, 1982).
 *
 * Every node speaks for a number. In each phase a node that still takes part
 * learns the numbers of its two nearest participating neighbours on the left.
 * If the nearer one is a local maximum, the node goes on and speaks for that
 * number; otherwise it becomes a relay that only passes messages on. At least
 * half of the participants drop out per phase, so there are O(N log N) messages.
 *
 * Checked: there is never more than one leader, the leader is the node that
 * owns the largest number, everybody learns of it, everybody terminates.
 *
 * Macros:
 *   N      number of nodes (6 times the states per node, 30 times with ANY)
 *   FIRST  rotation of the numbers round the ring
 *   ANY    numbers are placed in any order, chosen at the start
 *   BROKEN a participant that goes on keeps its old number
 */
#ifndef N
#define N 3
#endif
#ifndef FIRST
#define FIRST 1
#endif
#define CAPACITY  (2 * N)
#define NEXT(i)   (((i) + 1) % N)

mtype = { nearest, second, elected };

chan link[N] = [CAPACITY] of { mtype, byte };	/* link[i] leads to node i */

byte number[N];		/* the numbers, a permutation of 1..N */
byte leaders;		/* how many nodes think they won */
byte informed;		/* how many nodes know the result */
byte winner;		/* the number that won */

inline pass(kind, value) { link[NEXT(me)]!kind(value) }

proctype Node(byte me) {
	byte mine = number[me];	/* the number this node speaks for */
	byte left, v;
	bool relay, announced;

	pass(nearest, mine);
	do
	:: link[me]?nearest(v) ->
		if
		:: relay -> pass(nearest, v)
		:: !relay && v != mine ->
			left = v;
			pass(second, v)
		:: !relay && v == mine ->	/* the only participant left */
			announced = true;
			pass(elected, mine)
		fi
	:: link[me]?second(v) ->
		if
		:: relay -> pass(second, v)
		:: !relay && left > v && left > mine ->
#ifndef BROKEN
			mine = left;
#endif
			pass(nearest, mine)
		:: else -> relay = true
		fi
	:: link[me]?elected(v) ->
		d_step {
			informed++;
			winner = v;
			if
			:: v == number[me] -> leaders++; assert(leaders == 1)
			:: else
			fi
		};
		assert(v == N);
		if
		:: announced -> break
		:: else -> pass(elected, v); break
		fi
	od
}

init {
	byte i, place;
	atomic {
#ifdef ANY
		for (i : 0 .. N - 1) {		/* put number i+1 into any of the places 0..i */
			select (place : 0 .. i);
			number[i] = number[place];
			number[place] = i + 1
		}
#else
		for (i : 0 .. N - 1) {
			number[i] = (2 * N - i + FIRST) % N + 1
		}
#endif
		place = 0;
		for (i : 0 .. N - 1) {
			run Node(i)
		}
		i = 0
	}
}

ltl at_most_one     { [] (leaders <= 1) }
ltl someone_wins    { <> (leaders == 1) }
ltl largest_wins    { [] (leaders == 1 -> winner == N) }
ltl all_informed    { <> [] (informed == N) }
ltl leader_knows_first_fails  { (informed == 0) U (leaders == 1) }
ltl never_all_informed_fails  { [] (informed < N) }
