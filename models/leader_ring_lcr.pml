/*
 * Leader election in a unidirectional ring by suppression of smaller numbers.
 * G. Le Lann, 1977; E. Chang and R. Roberts, "An improved algorithm for
 * decentralized extrema-finding in circular configurations of processes", 1979.
 *
 * Each node sends its number to the right. A node passes a larger number on
 * and swallows a smaller one; the number that comes home belongs to the leader,
 * who then sends a notice round the ring. If the numbers fall in the direction
 * of travel there are N(N+1)/2 election messages, if they rise there are 2N-1.
 *
 * Checked: one leader, the node with the largest number; the message bounds;
 * termination. That the number of messages is always the same must fail, and
 * with equal numbers (BROKEN) there may be two leaders.
 *
 * Macros:
 *   N       number of nodes (20 times the states per node, 5 times with FALLING)
 *   FALLING numbers fall round the ring (the most expensive order); without
 *           it every order of the numbers is tried
 *   BROKEN  the largest number occurs twice
 */
#ifndef N
#define N 3
#endif
#define MOST   (N * (N + 1) / 2)
#define LEAST  (2 * N - 1)

typedef Message {
	bool notice;		/* false: a candidate, true: the result */
	byte number
};

chan ring[N] = [N] of { Message };	/* ring[i] leads to node i */
byte owner[N];				/* numbers of the nodes */
byte messages;				/* candidates sent so far */
byte leaders, finished;

inline forward() {
	ring[(me + 1) % N]!m
}

proctype Node(byte me) {
	Message m;
	bool leader;

	m.number = owner[me];
	atomic { forward(); messages++ };
	do
	:: ring[me]?m ->
		if
		:: m.notice && leader -> break
		:: m.notice && !leader -> forward(); break
		:: !m.notice && m.number > owner[me] ->
			atomic { forward(); messages++ }
		:: !m.notice && m.number < owner[me] ->
			skip			/* suppressed */
		:: !m.notice && m.number == owner[me] ->
			atomic {
				leader = true;
				leaders++;
				assert(leaders == 1 && owner[me] == N);
				m.notice = true;
				forward()
			}
		fi
	od;
	finished++;
	assert(messages >= LEAST && messages <= MOST)
}

inline place_numbers() {
#ifdef FALLING
	for (i : 0 .. N - 1) { owner[i] = N - i }
#else
	byte place;
	for (i : 0 .. N - 1) {		/* number i+1 goes to any of the places 0..i */
		select (place : 0 .. i);
		owner[i] = owner[place];
		owner[place] = i + 1
	}
	place = 0;
#endif
#ifdef BROKEN
	for (i : 0 .. N - 1) {
		if
		:: owner[i] == N - 1 -> owner[i] = N
		:: else
		fi
	}
#endif
}

init {
	byte i;
	atomic {
		place_numbers();
		for (i : 0 .. N - 1) { run Node(i) }
		i = 0
	}
}

ltl one_leader       { [] (leaders <= 1) }
ltl elected          { <> [] (leaders == 1) }
ltl all_finish       { <> (finished == N) }
ltl leader_first     { (finished == 0) U (leaders > 0) }
ltl always_cheapest_fails { [] (messages <= LEAST) }
ltl nobody_before_all_sent_fails { (leaders == 0) U (messages == MOST) }
