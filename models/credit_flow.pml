/*
 * Credit-based flow control (the buffer-to-buffer credits of Fibre Channel;
 * H. T. Kung and R. Morris, "Credit-based flow control for ATM networks", 1995).
 *
 * A sender may send only while it has credits; each cell uses one. The receiver
 * returns a credit whenever it has freed a buffer. Several connections share one
 * link but not their buffers, so no connection can block another.
 *
 * Checked: no buffer overflows though the link never asks whether there is room;
 * credits, cells under way, buffered cells and credits under way always sum up to
 * the number of buffers. That a connection always makes progress must fail.
 *
 * Macros: LINES connections, CREDITS per connection (states grow by about 6 per
 * credit and connection), LEAK (credits may get lost: the connection stops),
 * BROKEN (a credit is now and then returned twice: buffers overflow).
 */
#ifndef LINES
#define LINES 2
#endif
#ifndef CREDITS
#define CREDITS 1
#endif

chan link = [LINES * CREDITS + 1] of { byte };		/* cells, by connection */
chan back = [LINES * CREDITS + 1] of { byte };		/* credits */

byte credit[LINES] = CREDITS;
byte buffer[LINES];			/* cells that wait in the receiver */
byte flying[LINES];			/* cells and credits under way */
bool leaked;

proctype Sender(byte me) {
	do
	:: atomic { credit[me] > 0 && len(link) <= LINES * CREDITS ->
		credit[me]--; flying[me]++; link!me }
	od
}

active proctype Credits() {
	byte c;
	do
	:: atomic { back?c -> credit[c]++; flying[c]--; c = 0 }
	od
}

active proctype Arrivals() {
	byte c;
	do
	:: atomic {
		link?c ->
		buffer[c]++;
		flying[c]--;
		assert(buffer[c] <= CREDITS);
		c = 0
	   }
	od
}

proctype Reader(byte me) {
	do
	:: atomic { buffer[me] > 0 && len(back) <= LINES * CREDITS ->
		buffer[me]--; flying[me]++; back!me }
#ifdef BROKEN
	:: atomic { buffer[me] > 0 && credit[me] + buffer[me] + flying[me] == CREDITS && len(back) < LINES * CREDITS ->
		buffer[me]--; flying[me] = flying[me] + 2; back!me; back!me }
#endif
#ifdef LEAK
	:: atomic { buffer[me] > 0 -> buffer[me]--; leaked = true }
#endif
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. LINES - 1) {
			run Sender(i);
			run Reader(i)
		}
		i = 0
	}
}

#define sum(i)   (credit[i] + buffer[i] + flying[i])

ltl no_overflow     { [] (buffer[0] <= CREDITS) }
ltl conserved       { [] (sum(0) == CREDITS) }
ltl never_too_many  { [] (sum(0) <= CREDITS) }
ltl progress_fails  { [] <> (buffer[0] > 0) }
ltl idle_fails      { [] (credit[0] == 0 -> <> (credit[0] > 0)) }
ltl always_credit_fails { [] (credit[0] > 0) }
