/*
 * The bounded retransmission protocol of Philips Research (a remote control
 * link); L. Helmink, M. Sellink and F. Vaandrager, "Proof-checking a data link
 * protocol", 1993.
 *
 * A file of CHUNKS pieces is sent over channels that may lose messages. Each
 * piece carries flags "first" and "last" and an alternating bit and is sent again
 * at most MAX times. Then the sender gives up and both sides tell their users:
 *   sender    ok, not_ok, or dont_know (only the last acknowledgement is missing)
 *   receiver  first, more, complete, or cut (the rest will not come)
 * Timers are long enough: the sender's runs out only when nothing is under way
 * (timeout), the receiver's only after the sender has given up.
 *
 * Checked: ok means complete, not_ok means not complete; pieces arrive in order.
 * That every file gets through must fail.
 *
 * Macros: CHUNKS per file and MAX repetitions (both linear), BROKEN (the
 * sender says not_ok where it should say dont_know).
 */
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef MAX
#define MAX 2
#endif

mtype:sender = { busy, ok, not_ok, dont_know };
mtype:receiver = { idle, first, more, complete, cut };

chan down = [1] of { bool, bool, bit, byte };	/* first, last, bit, piece */
chan up   = [1] of { bit };

mtype:sender verdict = ok;	/* what the sender told its user about this file */
mtype:receiver status = idle;	/* what the receiver told its user */
bool gave_up;			/* starts the receiver's timer */
bool started;			/* a file was begun */

active proctype Sender() {
	bit b;
	byte piece, tries;

new_file:
	atomic { verdict = busy; status = idle; started = true; piece = 1; tries = 0 };
	do
	:: piece <= CHUNKS ->
		if
		:: down!(piece == 1),(piece == CHUNKS),b,piece
		:: skip						/* lost */
		fi;
		if
		:: up?eval(b) ->
			atomic { b = 1 - b; piece++; tries = 0 }
		:: up?eval(1 - b)				/* old: ignored */
		:: timeout ->
			if
			:: tries < MAX -> tries++
			:: else -> goto give_up
			fi
		fi
	:: else -> break
	od;
	verdict = ok;
	assert(status == complete);
	goto new_file;

give_up:
#ifdef BROKEN
	verdict = not_ok;
#else
	verdict = (piece == CHUNKS -> dont_know : not_ok);
#endif
	assert(verdict != not_ok || status != complete);
	gave_up = true;
	!gave_up;			/* the receiver is ready again */
	b = 0;
	goto new_file
}

active proctype Receiver() {
	bit b, want;
	bool is_first, is_last;
	byte piece, count;

	do
	:: down?is_first,is_last,b,piece ->
		if
		:: b == want ->
			d_step {
				count = (is_first -> 1 : count + 1);
				assert(piece == count);
				status = (is_last -> complete : (is_first -> first : more));
				want = 1 - want
			}
		:: else			/* a repetition */
		fi;
		if
		:: up!b
		:: skip			/* the acknowledgement is lost */
		fi
	:: gave_up && empty(down) ->
		d_step {
			if
			:: status == first || status == more -> status = cut
			:: else
			fi;
			want = 0; count = 0; b = 0; piece = 0;
			gave_up = false
		}
	od
}

ltl ok_is_complete      { [] (verdict == ok && started -> status == complete) }
ltl not_ok_is_partial   { [] (verdict == not_ok -> status != complete) }
ltl user_is_told        { [] (gave_up -> <> (status == cut || status == complete || status == idle)) }
ltl always_succeeds_fails { [] (started -> <> (verdict == ok)) }
ltl never_unsure_fails    { [] (verdict != dont_know) }
ltl cut_means_not_ok_fails { [] (verdict == dont_know -> status == complete) }
