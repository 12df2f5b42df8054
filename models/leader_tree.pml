/*
 * Leader election in a tree by saturation (N. Santoro, 1980s; see also the
 * echo algorithms of E. Chang, 1982).
 *
 * Any node may start and wakes its neighbours. A node that has heard from all
 * neighbours but one sends the largest number it has seen to that last one and
 * waits. Two neighbouring nodes become saturated: each of them hears from the
 * other as its last neighbour. They know the largest number of the whole tree,
 * and the result flows back to the leaves.
 *
 * The tree is a heap: the parent of node i is (i-1)/2; with -DSTAR all nodes
 * hang on node 0, with -DLINE they form a line.
 *
 * Checked: exactly two nodes are saturated, they are neighbours, all nodes learn
 * the same largest number. That the root is always saturated must fail.
 *
 * Macros: N nodes (4 to 10 times the states per node), STAR, LINE, and BROKEN
 * (a node reports to its last neighbour before it has heard from all others).
 */
#ifndef N
#define N 4
#endif
#if defined(STAR)
#define PARENT(i)   0
#elif defined(LINE)
#define PARENT(i)   ((i) - 1)
#else
#define PARENT(i)   (((i) - 1) / 2)
#endif
#define EDGE(i, j)  (((i) > 0 && (j) == PARENT(i)) || ((j) > 0 && (i) == PARENT(j)))
#define NONE        N

mtype = { report, result };
chan box[N] = [N] of { mtype, byte, byte };	/* kind, sender, number */

byte saturated;		/* how many nodes got a report from their last neighbour */
byte one, two;		/* the saturated nodes */
byte known;		/* nodes that know the result */

inline count_missing() {	/* how many neighbours are silent, and the last of them */
	d_step {
		missing = 0; last = NONE;
		for (k : 0 .. N - 1) {
			if
			:: k != _pid && EDGE(_pid, k) && !heard[k] -> missing++; last = k
			:: else
			fi
		}
		k = 0
	}
}

inline spread(from) {		/* pass the result to all neighbours but one */
	for (k : 0 .. N - 1) {
		if
		:: k != _pid && k != from && EDGE(_pid, k) -> box[k]!result(_pid, best)
		:: else
		fi
	}
	k = 0
}

active [N] proctype Node() {
	bool heard[N];
	byte best = (_pid * 3 + 1) % (2 * N + 1);	/* own number */
	byte last, missing, from, v, k;

	count_missing();
	do
#ifdef BROKEN
	:: missing > 1 && missing <= 2 -> break
#endif
	:: missing > 1 ->
		box[_pid]?report(from, v);
		d_step { heard[from] = true; best = (v > best -> v : best) };
		count_missing()
	:: missing == 1 -> break
	od;
	box[last]!report(_pid, best);
	if
	:: box[_pid]?report(from, v) ->			/* from the last neighbour */
		d_step {
			assert(from == last);
			best = (v > best -> v : best);
			saturated++;
			if
			:: saturated == 1 -> one = _pid
			:: else -> two = _pid; assert(EDGE(one, two))
			fi;
			assert(saturated <= 2)
		}
	:: box[_pid]?result(from, v) ->
		best = v
	fi;
	known++;
	atomic { spread(last) }
}

#define root_saturated  (saturated == 2 && (one == 0 || two == 0))

ltl at_most_two      { [] (saturated <= 2) }
ltl saturation       { <> [] (saturated == 2) }
ltl everybody_knows  { <> (known == N) }
ltl result_after_saturation { (known == 0) U (saturated >= 1) }
ltl root_always_saturated_fails { <> root_saturated }
ltl saturated_together_fails { [] (saturated != 1) }
