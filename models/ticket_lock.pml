/*
 * The ticket lock for N processes.
 * D. P. Reed and R. K. Kanodia, "Synchronization with eventcounts and
 * sequencers", 1979; in use in many operating-system kernels.
 *
 * A ticket is drawn with one atomic fetch-and-increment; the lock is passed
 * to the holder of the next ticket.  Unlike the bakery it needs an atomic
 * instruction, and numbers wrap around safely as long as there are at least
 * N of them.
 *
 * Checked
 *   assertion       never two processes in the critical section
 *   ltl exclusion   the same
 *   ltl in_range    the lock never serves beyond the tickets drawn
 *   ltl served      process 0 that queues up is served; holds even without
 *                   fairness, as the others soon block behind it
 *   ltl expect_fail_queue_empties
 *                   the queue is empty again and again: false, even with
 *                   fairness
 *   progress        every cycle passes a critical section: holds
 *   -DTICKETS=...   with fewer than N numbers two processes hold the same
 *
 * Macros
 *   N         number of processes (default 3)
 *   TICKETS   number of distinct tickets (default N)
 *   Each further process multiplies the states by about N.
 */

#ifndef N
#define N 3
#endif

#ifndef TICKETS
#define TICKETS N
#endif

byte next_ticket;
byte now_serving;
byte waiting;          /* ghost: tickets drawn and not served */
byte inside;

active [N] proctype User()
{
	byte ticket;

	do
	:: d_step {
		ticket = next_ticket;
		next_ticket = (next_ticket + 1) % TICKETS;
		waiting++
	   };
queued:	   (now_serving == ticket);
	   inside++;
progress:  assert(inside == 1);
	   inside--;
	   d_step {
		now_serving = (now_serving + 1) % TICKETS;
		waiting--;
		ticket = 0
	   }
	od
}

ltl exclusion { [] (inside <= 1) }

ltl in_range { [] ((next_ticket + TICKETS - now_serving) % TICKETS == waiting % TICKETS) }

ltl served { [] (User[0]@queued -> <> User[0]@progress) }

ltl expect_fail_queue_empties { [] <> (waiting == 0) }
