/*
 * Two-phase commit (J. Gray, "Notes on data base operating systems", 1978).
 *
 * A coordinator asks N participants to vote. If all say yes it decides commit,
 * otherwise abort, and tells everybody. A participant that voted no may abort at
 * once; one that voted yes is uncertain until the decision comes.
 *
 * Checked: nobody commits while another aborts; commit only after all said yes;
 * everybody decides. With -DCRASH the coordinator may die before it has told all
 * participants: the uncertain ones block for ever, which shows as an invalid end
 * state. With -DIMPATIENT an uncertain participant aborts by itself after a
 * timeout: the blocking is gone and so is the agreement.
 *
 * Macros: N participants (10 to 20 times the states per participant), CRASH, IMPATIENT
 * (implies CRASH).
 */
#ifndef N
#define N 2
#endif
#ifdef IMPATIENT
#define CRASH
#endif

mtype = { vote_request, yes, no, commit, abort, undecided };

chan desk = [N] of { mtype, byte };		/* to the coordinator */
chan part[N] = [2] of { mtype };		/* to the participants */

mtype outcome[N] = undecided;
byte committed, aborted, yes_votes;
mtype decision = undecided;

inline tell_all(what) {
	for (i : 0 .. N - 1) {
#ifdef CRASH
		if
		:: skip
		:: goto crashed
		fi;
#endif
		part[i]!what
	}
}

inline settle(what, counter) {
	d_step {
		assert(outcome[me] == undecided);
		outcome[me] = what;
		counter++;
		assert(committed == 0 || aborted == 0)
	}
}

proctype Participant(byte me) {
	part[me]?vote_request;
	if
	:: atomic { desk!yes(me); yes_votes++ };
		if
		:: part[me]?commit -> settle(commit, committed)
		:: part[me]?abort -> settle(abort, aborted)
#ifdef IMPATIENT
		:: timeout -> settle(abort, aborted)
#endif
		fi
	:: desk!no(me);
		settle(abort, aborted)
	fi;
end:	do
	:: part[me]?_			/* late messages */
	od
}

init {
	byte i, votes;
	bool refuse;

	atomic {
		for (i : 0 .. N - 1) { run Participant(i) }
		i = 0
	};
	for (i : 0 .. N - 1) { part[i]!vote_request }
	do
	:: votes < N ->
		if
		:: desk?yes(_) -> votes++
		:: desk?no(_) -> votes++; refuse = true
		fi
	:: else -> break
	od;
	decision = (refuse -> abort : commit);
	if
	:: refuse -> tell_all(abort)
	:: else -> tell_all(commit)
	fi;
crashed:
	skip
}

ltl agreement          { [] !(committed > 0 && aborted > 0) }
ltl all_yes_first      { [] (committed > 0 -> yes_votes == N) }
ltl follows_decision   { [] (committed > 0 -> decision == commit) }
#ifdef CRASH
ltl everybody_decides_fails { <> (committed + aborted == N) }
#else
ltl everybody_decides  { <> (committed + aborted == N) }
#endif
ltl always_commit_fails { <> (committed == N) }
ltl no_abort_before_decision_fails { (aborted == 0) W (decision != undecided) }
