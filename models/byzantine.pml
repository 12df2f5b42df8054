/*
 * The Byzantine generals, oral messages with one traitor: OM(1).
 * L. Lamport, R. Shostak and M. Pease, "The Byzantine generals problem", 1982.
 *
 * General 0 is the commander and sends an order to N-1 lieutenants; each of them
 * passes what it got on to the others; then each obeys the majority of the order
 * received and those reported. One of the generals, anybody, may be a traitor
 * who sends anything to anybody.
 *
 * Checked: IC1, loyal lieutenants obey the same order; IC2, if the commander is
 * loyal they obey his order. Both hold for N = 4 and fail for N = 3.
 *
 * Macros: N generals (67 times the states from 3 to 4), LOYAL (nobody
 * is a traitor). Messages are sent in atomic steps, sender by sender.
 */
#ifndef N
#define N 4
#endif
#define NOBODY  N

mtype = { attack, retreat, unknown };

chan order[N] = [1] of { mtype };		/* from the commander */
chan report[N] = [N] of { mtype };		/* from the other lieutenants */

byte traitor = NOBODY;
bool started;
mtype command = unknown;
mtype obeyed[N] = unknown;
byte decided;			/* loyal lieutenants that have decided */

inline say(channel, value) {	/* a traitor says what he likes */
	if
	:: _pid != traitor -> channel!value
	:: _pid == traitor -> channel!attack
	:: _pid == traitor -> channel!retreat
	fi
}

active proctype Commander() {
	byte i;
	atomic {
#ifndef LOYAL
		select (i : 0 .. N - 1);
		traitor = i;
#endif
		if
		:: command = attack
		:: command = retreat
		fi;
		started = true
	};
	atomic {
		for (i : 1 .. N - 1) { say(order[i], command) }
		i = 0
	}
}

active [N - 1] proctype Lieutenant() {
	mtype got, heard;
	byte for_attack, n, i;

	order[_pid]?got;
	atomic {
		for (i : 1 .. N - 1) {
			if
			:: i != _pid -> say(report[i], got)
			:: else
			fi
		}
		i = 0
	};
	for_attack = (got == attack -> 1 : 0);
	do
	:: n < N - 2 ->
		atomic { report[_pid]?heard; n++; for_attack = for_attack + (heard == attack -> 1 : 0) }
	:: else -> break
	od;
	atomic {
		if
		:: _pid != traitor ->
			obeyed[_pid] = (2 * for_attack > N - 1 -> attack : retreat);
			decided++;
			assert(traitor == 0 || obeyed[_pid] == command);		/* IC2 */
			for (i : 1 .. N - 1) {						/* IC1 */
				assert(obeyed[i] == unknown || obeyed[i] == obeyed[_pid])
			}
		:: else
		fi;
		got = 0; heard = 0; for_attack = 0; n = 0; i = 0
	}
}

#define agree(a, b)   (obeyed[a] == unknown || obeyed[b] == unknown || obeyed[a] == obeyed[b])
#define obeys(a)      (obeyed[a] == unknown || obeyed[a] == command)

ltl agreement     { [] agree(1, 2) }
ltl obedience     { [] ((started && traitor != 0) -> obeys(1) && obeys(2)) }
ltl all_decide    { <> (decided >= N - 2) }
ltl traitor_harmless_fails { [] (obeys(1) && obeys(2)) }
ltl always_attack_fails    { <> (obeyed[1] == attack) }
