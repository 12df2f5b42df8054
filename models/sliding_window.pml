/*
 * A sliding window protocol with selective repeat (N. Stenning, 1976; the
 * windows of the HDLC family of link protocols, 1970s).
 *
 * The sender may have W messages under way; the receiver keeps up to W messages
 * that came early and acknowledges each one by itself. Sequence numbers are
 * taken modulo M. The protocol is correct on fifo channels that lose messages
 * iff M >= 2 * W: with fewer numbers an old message that is sent again can be
 * mistaken for a new one.
 *
 * Each message carries its true position as well ("ghost"). The protocol never
 * reads it; the receiver's assertion compares it with the position the message
 * is taken for.
 *
 * Checked: messages are delivered in order, once each, none is mistaken; the
 * sender is never more than W ahead. That all messages arrive must fail.
 *
 * Macros: W window size, M modulus, TOTAL number of messages, SLOTS capacity of
 * the channels. States grow about tenfold with W and with SLOTS. Try
 * -DW=2 -DM=3 for the ambiguity.
 */
#ifndef W
#define W 1
#endif
#ifndef M
#define M (2 * W)
#endif
#ifndef TOTAL
#define TOTAL (M + 1)
#endif
#ifndef SLOTS
#define SLOTS 1
#endif

typedef Frame {
	byte seq;
	byte ghost
};

chan data = [SLOTS] of { Frame };
chan acks = [SLOTS] of { byte, byte };		/* sequence number, ghost */

byte base;		/* first message not yet acknowledged */
byte delivered;		/* messages handed to the user */

active proctype Sender() {
	bool acked[W];		/* acknowledgements inside the window */
	byte fill;		/* messages of the window that were sent once */
	byte seq, pick;
	byte ghost;
	Frame f;

end:	do
	:: fill < W && base + fill < TOTAL && nfull(data) ->	/* something new */
		d_step {
			f.seq = (base + fill) % M;
			f.ghost = base + fill;
			fill++;
			data!f;
			f.seq = 0; f.ghost = 0
		}
	:: fill > 0 && nfull(data) ->				/* something again */
		pick = 0;
		do
		:: pick + 1 < fill -> pick++
		:: break
		od;
		if
		:: !acked[pick] ->
			atomic {
				f.seq = (base + pick) % M;
				f.ghost = base + pick;
				data!f;
				f.seq = 0; f.ghost = 0; pick = 0
			}
		:: else -> pick = 0
		fi
	:: acks?seq,ghost ->
		d_step {
			pick = (seq + M - base % M) % M;	/* place inside the window */
			if
			:: pick < fill -> assert(ghost == base + pick); acked[pick] = true
			:: else					/* an old acknowledgement */
			fi;
			do					/* slide */
			:: acked[0] ->
				base++; fill--;
				for (pick : 0 .. W - 2 + (W == 1)) {
					if
					:: pick + 1 < W -> acked[pick] = acked[pick + 1]
					:: else
					fi
				}
				acked[W - 1] = false
			:: else -> break
			od;
			pick = 0; seq = 0; ghost = 0
		}
	od
}

active proctype Receiver() {
	bool held[W];		/* messages that came early */
	Frame f;
	byte place;

end:	do
	:: data?f ->
		d_step {
			place = (f.seq + M - delivered % M) % M;
			if
			:: place < W ->
				assert(f.ghost == delivered + place);
				held[place] = true
			:: else			/* from before the window */
			fi;
			do
			:: held[0] ->
				delivered++;
				for (place : 0 .. W - 2 + (W == 1)) {
					if
					:: place + 1 < W -> held[place] = held[place + 1]
					:: else
					fi
				}
				held[W - 1] = false
			:: else -> break
			od;
			place = 0
		};
		acks!f.seq,f.ghost;
		d_step { f.seq = 0; f.ghost = 0 }
	od
}

active proctype Loss() {
	Frame f;
end:	do
	:: d_step { data?f; f.seq = 0; f.ghost = 0 }
	:: acks?_,_
	od
}

ltl window_kept    { [] (delivered >= base && delivered <= base + W) }
ltl no_overrun     { [] (delivered <= TOTAL && base <= TOTAL) }
ltl first_before_last { [] (delivered == TOTAL -> base + W >= TOTAL) }
ltl all_arrive_fails { <> (delivered == TOTAL) }
ltl acknowledged_at_once_fails { [] (delivered == base) }
