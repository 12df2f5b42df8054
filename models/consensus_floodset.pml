/*
 * Consensus with crash failures in the synchronous model: FloodSet
 * (textbook form, N. Lynch, "Distributed algorithms", 1996; the bound of F+1
 * rounds is by M. Fischer and N. Lynch, 1982).
 *
 * Each of N processes starts with a value and keeps the set of all values it
 * has heard of. In every round it sends its set to all. F processes may crash,
 * each of them in the middle of a round: then only some get its message. After
 * ROUNDS rounds every living process decides the least value of its set.
 * A round of all processes is simulated by one scheduler.
 *
 * Checked: agreement and validity; they hold with ROUNDS = F + 1 and agreement
 * fails with ROUNDS = F.
 *
 * Macros: N processes, F crashes, ROUNDS (states grow by 10 per process).
 */
#ifndef N
#define N 3
#endif
#ifndef F
#define F 1
#endif
#ifndef ROUNDS
#define ROUNDS (F + 1)
#endif
#define BIT(i)   (1 << (i))

byte start[N];			/* initial values, 0 or 1 */
byte known[N];			/* sets of values: bit 0 and bit 1 */
byte fresh[N];			/* what arrived in this round */
byte decision[N] = 2;		/* 2: undecided */
byte crashed;			/* a set of processes */
byte crashes, round, decided;

inline send(from, to) { fresh[to] = fresh[to] | known[from] }

init {
	byte i, j;
	bool fails;

	for (i : 0 .. N - 1) {
		if
		:: start[i] = 0
		:: start[i] = 1
		fi;
		known[i] = BIT(start[i])
	}
	for (round : 1 .. ROUNDS) {
		for (i : 0 .. N - 1) {
			if
			:: crashed & BIT(i) -> skip
			:: !(crashed & BIT(i)) && crashes < F ->	/* crash while sending */
				fails = true
			:: !(crashed & BIT(i)) -> fails = false
			fi;
			for (j : 0 .. N - 1) {
				if
				:: crashed & BIT(i) -> skip
				:: !(crashed & BIT(i)) -> send(i, j)
				:: fails -> skip
				fi
			}
			atomic {
				if
				:: fails -> crashed = crashed | BIT(i); crashes++
				:: else
				fi;
				fails = false; j = 0
			}
		}
		atomic {
			for (i : 0 .. N - 1) {
				known[i] = known[i] | fresh[i];
				fresh[i] = 0
			}
			i = 0
		}
	}
	for (i : 0 .. N - 1) {
		if
		:: crashed & BIT(i)
		:: else ->
			decision[i] = (known[i] & 1 -> 0 : 1);
			decided++;
			for (j : 0 .. N - 1) {
				assert(decision[j] == 2 || decision[j] == decision[i])
			}
		fi
	}
}

#define agree(a, b)  (decision[a] == 2 || decision[b] == 2 || decision[a] == decision[b])

ltl agreement    { [] (agree(0, 1) && agree(1, 2)) }
ltl validity     { [] ((decided > 0 && start[0] == 1 && start[1] == 1 && start[2] == 1 && N == 3) -> (decision[0] != 0 && decision[1] != 0)) }
ltl terminates   { <> (decided + crashes >= N) }
ltl nobody_crashes_fails { [] (crashes == 0) }
ltl decides_one_fails    { <> (decision[0] == 1 || decision[1] == 1) }
