/*
 * Single-decree Paxos (L. Lamport, "The part-time parliament", 1998, written
 * 1989; "Paxos made simple", 2001).
 *
 * PROPOSERS proposers, each with one ballot and its own value, and ACCEPTORS
 * acceptors. Phase 1: prepare(b), promise with the vote cast so far. Phase 2:
 * propose the value of the highest vote heard of, or the own one; accept.
 * A value is chosen when a majority has accepted the same ballot. Nobody waits
 * for more than a majority; messages may be lost or overtake each other (random
 * receive), and a proposer may give up.
 *
 * Checked: at most one value is chosen (assertion, ltl). Termination must fail.
 *
 * Macros: PROPOSERS, ACCEPTORS (both factors of 10 to 100), SPLIT (a
 * broadcast is not one step), BROKEN (a proposer always proposes its own value).
 */
#ifndef PROPOSERS
#define PROPOSERS 2
#endif
#ifndef ACCEPTORS
#define ACCEPTORS 3
#endif
#define MAJORITY   (ACCEPTORS / 2 + 1)

mtype = { prepare, accept };

chan to_acc[ACCEPTORS] = [PROPOSERS * 2] of { mtype, byte, byte };	/* kind, ballot, value */
chan promise[PROPOSERS] = [ACCEPTORS] of { byte, byte };	/* ballot and value voted for */

byte votes[PROPOSERS];		/* acceptances of ballot i+1 */
byte chosen;			/* value chosen so far, 0 if none */

#ifdef SPLIT
#define INDIVISIBLE
#else
#define INDIVISIBLE  atomic
#endif

inline broadcast(kind, v) {
	INDIVISIBLE {
		for (a : 0 .. ACCEPTORS - 1) {
			to_acc[a]!kind(ballot, v)
		}
		a = 0
	}
}

active [PROPOSERS] proctype Proposer() {
	byte ballot = _pid + 1;
	byte value = _pid + 1;		/* the value it would like */
	byte count, vb, vv, best, a;

	broadcast(prepare, 0);
	do
	:: count < MAJORITY ->
		if
		:: promise[_pid]?vb,vv ->
			d_step {
				count++;
#ifndef BROKEN
				if
				:: vb > best -> best = vb; value = vv
				:: else
				fi;
#endif
				vb = 0; vv = 0
			}
		:: goto stopped			/* not enough promises */
		fi
	:: else -> break
	od;
	best = 0;
	broadcast(accept, value);
stopped:
	atomic { count = 0; best = 0; value = 0 }
}

active [ACCEPTORS] proctype Acceptor() {
	byte promised, voted, vote;	/* highest ballot promised; last vote */
	byte b, v;

end:	do
	:: to_acc[_pid - PROPOSERS]?_,_,_	/* lost */
	:: atomic {
		to_acc[_pid - PROPOSERS]??prepare(b, _) ->
		if
		:: b > promised ->
			promised = b;
			promise[b - 1]!voted,vote
		:: else
		fi;
		b = 0
	   }
	:: atomic {
		to_acc[_pid - PROPOSERS]??accept(b, v) ->
		if
		:: b >= promised ->
			promised = b; voted = b; vote = v;
			votes[b - 1]++;
			if
			:: votes[b - 1] == MAJORITY ->
				assert(chosen == 0 || chosen == v);
				chosen = v
			:: else
			fi
		:: else
		fi;
		b = 0; v = 0
	   }
	od
}

ltl stable         { [] (chosen == 1 -> [] (chosen == 1)) }
ltl stable_2       { [] (chosen == 2 -> [] (chosen == 2)) }
ltl valid          { [] (chosen <= PROPOSERS) }
ltl decides_fails  { <> (chosen != 0) }
ltl second_never_wins_fails { [] (chosen != 2) }
ltl first_vote_wins_fails { [] (votes[0] > 0 -> <> (chosen == 1)) }
