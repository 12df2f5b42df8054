/*
 * The alternating bit protocol.
 * K. Bartlett, R. Scantlebury and P. Wilkinson, "A note on reliable full-duplex
 * transmission over half-duplex links", 1969; W. Lynch, 1968.
 *
 * A sender numbers its messages with one bit, repeats a message until it is
 * acknowledged with the same bit, and only then goes on to the next message.
 * Both channels may lose messages (process Thief).
 *
 * Checked: the receiver takes every message once and in order (assertion and
 * ltl). That every message arrives must fail: the thief may steal for ever.
 * It holds if the thief is absent and retransmission waits for a timeout.
 *
 * Macros:
 *   MAX       data values 0..MAX-1, used round robin (states grow linearly)
 *   SLOTS     capacity of the channels (states grow with the square or more)
 *   NOLOSS    no thief, and the sender retransmits on timeout only
 *   BROKEN    the receiver does not look at the bit
 */
#ifndef MAX
#define MAX 3
#endif
#ifndef SLOTS
#define SLOTS 1
#endif

mtype = { data, ack };

chan forth = [SLOTS] of { mtype, byte, bit };
chan back  = [SLOTS] of { mtype, bit };

byte sent, taken;		/* last value handed to / taken from the protocol */
bool fresh;			/* a value was handed over and not yet taken */

active proctype Sender() {
	byte value;
	bit seq, r;
	do
	:: d_step { sent = value; fresh = true };
		forth!data(value, seq);
		do
		:: back?ack(r) ->
			if
			:: r == seq -> break
			:: else -> skip
			fi
#ifdef NOLOSS
		:: timeout -> forth!data(value, seq)
#else
		:: forth!data(value, seq)
#endif
		od;
advance:	atomic {
			value = (value + 1) % MAX;
			seq = 1 - seq
		}
	od
}

active proctype Receiver() {
	byte value, expected;
	bit seq, want;
	do
	:: forth?data(value, seq) ->
		if
#ifdef BROKEN
		:: true ->
#else
		:: seq == want ->
#endif
			d_step {
				assert(value == expected);
				taken = value;
				fresh = false;
				expected = (expected + 1) % MAX;
				want = 1 - want
			}
#ifndef BROKEN
		:: else -> skip			/* an old message again */
#endif
		fi;
		back!ack(seq)
	od
}

#ifndef NOLOSS
active proctype Thief() {
	do
	:: forth?_,_,_
	:: back?_,_
	od
}
#endif

ltl no_invention    { [] (fresh -> sent == (taken + 1) % MAX || sent == 0) }
ltl take_before_next { [] (Sender@advance -> !fresh) }
#ifdef NOLOSS
ltl every_value_arrives { [] (fresh -> <> !fresh) }
ltl keeps_moving        { [] <> (taken == MAX - 1) }
#else
ltl every_value_arrives_fails { [] (fresh -> <> !fresh) }
ltl keeps_moving_fails        { [] <> (taken == MAX - 1) }
#endif
