/*
 * Distributed mutual exclusion with Lamport clocks (G. Ricart and A. Agrawala,
 * "An optimal algorithm for mutual exclusion in computer networks", 1981).
 *
 * A node that wants the critical section sends a request with its clock to all
 * others and waits for their replies. A node that gets a request replies at once
 * unless it is inside, or waits with an older request itself (equal clocks: the
 * lower number wins); then it replies when it leaves.
 *
 * Checked: exclusion, no deadlock, every request is granted. That requests are
 * granted in the order of the node numbers must fail.
 *
 * Macros: N nodes (170 times the states from 2 to 3), ROUNDS visits per node,
 * BROKEN (equal clocks are not resolved: both reply).
 */
#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

mtype = { request, reply };
typedef Mail {
	mtype kind;
	byte from;
	byte stamp
};

chan inbox[N] = [2 * N] of { Mail };
byte inside;				/* nodes in the critical section */
byte visits[N];
byte waiting;				/* a set: nodes that have sent their requests */
byte entered = N;			/* who was the last to enter */

#ifdef BROKEN
#define OLDER(s1, p1, s2, p2)   ((s1) < (s2))
#else
#define OLDER(s1, p1, s2, p2)   ((s1) < (s2) || ((s1) == (s2) && (p1) < (p2)))
#endif

inline post(to, what, time) {
	d_step {
		m.kind = what; m.from = _pid; m.stamp = time;
		inbox[to]!m;
		m.kind = 0; m.from = 0; m.stamp = 0
	}
}

inline serve() {			/* one message of the inbox */
	atomic {
		inbox[_pid]?m;
		if
		:: m.kind == reply -> replies++
		:: m.kind == request ->
			clock = (m.stamp > clock -> m.stamp : clock);
			to = m.from;
			if
			:: wants && OLDER(mine, _pid, m.stamp, m.from) -> deferred[to] = true
			:: else -> post(to, reply, 0)
			fi
		fi;
		to = 0;
		m.kind = 0; m.from = 0; m.stamp = 0
	}
}

active [N] proctype Node() {
	Mail m;
	bool wants, deferred[N];
	byte clock, mine, replies, to;

end:	do
	:: nempty(inbox[_pid]) -> serve()
	:: visits[_pid] < ROUNDS ->
		atomic {			/* ask everybody */
			wants = true;
			clock++;
			mine = clock;
			waiting = waiting | (1 << _pid);
			for (to : 0 .. N - 1) {
				if
				:: to != _pid -> post(to, request, mine)
				:: else
				fi
			}
			to = 0
		};
		do
		:: replies < N - 1 -> serve()
		:: replies == N - 1 -> break
		od;
		inside++;
critical:	d_step {
			assert(inside == 1);
			entered = _pid;
			visits[_pid]++;
			waiting = waiting & ~(1 << _pid)
		};
		inside--;
		atomic {
			replies = 0; wants = false; mine = 0;
			for (to : 0 .. N - 1) {
				if
				:: deferred[to] -> deferred[to] = false; post(to, reply, 0)
				:: else
				fi
			}
			to = 0
		}
	od
}

ltl exclusion      { [] (inside <= 1) }
ltl granted_0      { [] ((waiting & 1) -> <> (visits[0] > 0)) }
ltl granted_1      { [] ((waiting & 2) -> <> (visits[1] > 0)) }
ltl all_done       { <> (visits[0] == ROUNDS && visits[1] == ROUNDS) }
ltl in_number_order_fails { [] (entered == 1 -> visits[0] == 1) }
ltl no_contention_fails   { [] !((waiting & 1) && (waiting & 2)) }
