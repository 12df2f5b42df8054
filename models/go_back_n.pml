/*
 * Go-back-N: a sliding window protocol whose receiver has a window of one.
 * (Link protocols of the 1970s: SDLC, HDLC; A. Tanenbaum's textbook, 1981.)
 *
 * The sender has up to W frames under way. The receiver takes only the frame it
 * expects and acknowledges cumulatively: "all before number n". After a timeout
 * the sender goes back and sends everything again that is not acknowledged.
 * Correct on fifo channels with loss iff the modulus M is larger than W.
 *
 * The payload is the frame's position modulo D, D > M, so that a frame taken for
 * another one is noticed by the receiver's assertion. The sender never stops.
 *
 * Checked: frames are taken in order; the window is respected. Delivery for ever
 * must fail under loss. With -DW=2 -DM=2 frames are confused.
 *
 * Macros: W window, M modulus, D data values (states grow linearly with it),
 * SLOTS capacity of both channels (about 3 to 5 times the states per slot).
 */
#ifndef W
#define W 2
#endif
#ifndef M
#define M (W + 1)
#endif
#ifndef D
#define D (2 * M)
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#define PLUS(a, b, m)   (((a) + (b)) % (m))

chan line = [SLOTS] of { byte, byte };	/* sequence number, payload */
chan acks = [SLOTS] of { byte };	/* next number expected */

byte underway;		/* frames sent and not acknowledged */
byte last_taken = D - 1;

active proctype Sender() {
	byte first;		/* number of the oldest frame not acknowledged */
	byte payload;		/* its payload */
	byte k, n;

	do
	:: underway < W ->
		atomic {
			line!PLUS(first, underway, M),PLUS(payload, underway, D);
			underway++
		}
	:: acks?n ->
		d_step {
			k = (n + M - first) % M;	/* how many are acknowledged */
			if
			:: k <= underway ->
				first = n;
				payload = PLUS(payload, k, D);
				underway = underway - k
			:: else				/* cannot be: nothing new */
			fi;
			k = 0; n = 0
		}
	:: underway > 0 ->				/* go back */
		for (k : 0 .. underway - 1) {
			line!PLUS(first, k, M),PLUS(payload, k, D)
		}
		k = 0
	od
}

active proctype Receiver() {
	byte want, seq, v;
	do
	:: line?seq,v ->
		atomic {
			if
			:: seq == want ->
				assert(v == PLUS(last_taken, 1, D));
				last_taken = v;
				want = PLUS(want, 1, M)
			:: else
			fi;
			seq = 0; v = 0
		};
		acks!want
	od
}

active proctype Loss() {
	do
	:: line?_,_
	:: acks?_
	od
}

ltl window        { [] (underway <= W) }
ltl starts_with_0 { (last_taken == D - 1) weakuntil (last_taken == 0) }
ltl delivery_fails { [] <> (last_taken == 0) }
ltl never_full_window_fails { [] (underway < W) }
ltl first_arrives_fails { <> (last_taken != D - 1) }
