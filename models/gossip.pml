/*
 * The gossip (or telephone) problem: N people each know one secret; in a call
 * two people exchange all they know. How many calls until everybody knows all?
 * R. Tijdeman, 1971, and B. Baker and R. Shostak, 1972: 2N - 4 for N >= 4
 * (1 and 3 calls for N = 2 and 3).
 *
 * Any pair may try at any time; a call that would teach nobody anything is dropped.
 *
 * Checked: nobody forgets anything; fewer than LEAST calls are never enough
 * (assertion). That LEAST calls do not suffice must fail: the counterexample is a
 * best schedule. That all will know everything fails too (people may try
 * useless calls for ever), while the number of experts is never one: a call
 * makes both sides equal.
 *
 * Macros: N people (10 to 30 times the states per person), NOCOUNT (the
 * number of calls is not kept: fewer states).
 */
#ifndef N
#define N 4
#endif
#if N <= 3
#define LEAST  (2 * N - 3)
#else
#define LEAST  (2 * N - 4)
#endif
#define ALL        ((1 << N) - 1)
#define SECRET(i)  (1 << (i))

byte knows[N];			/* sets of secrets */
byte calls;
byte experts;			/* people who know everything */

active proctype Exchange() {
	byte a, b, i;
	unsigned both : 8;

	d_step {
		for (i in knows) { knows[i] = SECRET(i) }
		i = 0
	};
	do
	:: experts < N ->
		atomic {
			/* choose a pair a < b */
			do
			:: a < N - 2 -> a++
			:: break
			od;
			b = a + 1;
			do
			:: b < N - 1 -> b++
			:: break
			od;
			/* a useless call is not made */
			if
			:: knows[a] != knows[b] ->
				both = knows[a] | knows[b];
				experts = experts + (both == ALL && knows[a] != ALL) + (both == ALL && knows[b] != ALL);
				knows[a] = both;
				knows[b] = both;
				both = 0;
#ifndef NOCOUNT
				calls++;
				assert(experts < N || calls >= LEAST)
#else
				skip
#endif
			:: else
			fi;
			a = 0; b = 0
		}
	:: else -> break
	od
}

ltl nothing_forgotten   { [] ((knows[0] & 2) -> [] (knows[0] & 2)) }
ltl experts_stay        { [] (experts == 2 -> [] (experts >= 2)) }
ltl not_too_few         { [] (experts == N -> calls >= LEAST) }
ltl least_not_enough_fails { [] !(experts == N && calls == LEAST) }
ltl all_know_fails      { <> (experts == N) }
ltl never_single_expert { [] (experts != 1) }
