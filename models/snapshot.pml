/*
 * The distributed snapshot of K. M. Chandy and L. Lamport, "Distributed
 * snapshots: determining global states of distributed systems", 1985.
 *
 * N banks send money to each other over fifo channels. Bank 0 starts a snapshot:
 * it records its balance and sends a marker on all its channels. A bank that
 * gets its first marker records its balance and sends markers; on every other
 * channel it records what arrives until the marker comes on that channel.
 *
 * Checked: the recorded balances and the recorded money under way sum up to the
 * money there is. That a snapshot is ever begun or finished must fail (a bank may
 * try to send money to itself for ever), and so must the claim that the first bank
 * to finish has seen all the money.
 *
 * Macros: N banks, 2 to 4 (from 2 to 3: 160 to 1400 times the states), CASH each bank starts with,
 * TRANSFERS each bank may make, BROKEN (money under way is not recorded).
 */
#ifndef N
#define N 2
#endif
#ifndef CASH
#define CASH 2
#endif
#ifndef TRANSFERS
#define TRANSFERS 2
#endif
#define TOTAL   (N * CASH)
#define MARKER  0			/* amounts are positive */
#define WIRE(i, j)  wire[(i) * N + (j)]

chan wire[N * N] = [TRANSFERS + 1] of { byte };

byte recorded;			/* sum of all that was recorded */
byte complete;			/* banks whose part of the snapshot is complete */
bool begun;

inline record() {		/* record the balance and send the markers */
	seen = true;
	recorded = recorded + balance;
	for (j : 0 .. N - 1) {
		if
		:: j != _pid -> WIRE(_pid, j)!MARKER
		:: else
		fi
	}
	j = 0
}

inline take(from) {		/* m arrived from there */
	if
	:: m == MARKER ->
		closed[from] = true;
		markers++;
		if
		:: !seen -> record()
		:: else
		fi;
		if
		:: markers == N - 1 ->
			complete++;
			assert(complete < N || recorded == TOTAL)
		:: else
		fi
	:: else ->
		balance = balance + m;
#ifndef BROKEN
		if
		:: seen && !closed[from] -> recorded = recorded + m
		:: else
		fi
#endif
	fi;
	m = 0
}

active [N] proctype Bank() {
	byte balance = CASH, made;
	byte markers, j, m;
	bool seen;
	bool closed[N];			/* the marker came on this channel */

end:	do
	:: made < TRANSFERS && balance > 0 ->	/* send money to somebody */
		atomic {
			select (j : 0 .. N - 1);
			if
			:: j != _pid -> balance--; made++; WIRE(_pid, j)!1
			:: else
			fi;
			j = 0
		}
	:: atomic { _pid == 0 && !seen -> begun = true; record() }
	:: atomic { WIRE(0, _pid)?m -> take(0) }
	:: atomic { WIRE(1, _pid)?m -> take(1) }
#if N > 2
	:: atomic { WIRE(2, _pid)?m -> take(2) }
#endif
#if N > 3
	:: atomic { WIRE(3, _pid)?m -> take(3) }
#endif
	od
}

ltl consistent      { [] (complete == N -> recorded == TOTAL) }
ltl never_too_much  { [] (recorded <= TOTAL) }
ltl finishes_fails  { [] (begun -> <> (complete == N)) }
ltl starts_fails    { <> begun }
ltl all_at_home_fails { [] (complete == 1 -> recorded == TOTAL) }
