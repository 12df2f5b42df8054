/*
 * Producers and consumers with a bounded buffer.
 * E. W. Dijkstra, "Cooperating sequential processes", 1965.
 *
 * The buffer is a Promela channel.  The producer is its only sender and the
 * consumer its only receiver, and says so (xs, xr); items carry a sequence
 * number modulo MOD, and the consumer checks that none is lost, doubled or
 * out of order.
 *
 * Checked
 *   assertion       items arrive in order
 *   ltl bounded     never more than SIZE items under way
 *   ltl delivered   what was produced is consumed at last; violated without
 *                   fairness, as the producer may idle for ever, holds with
 *   ltl expect_fail_never_full
 *                   the buffer is never full: false
 *   ltl expect_fail_lockstep
 *                   producer and consumer never differ by more than one
 *                   item: false unless SIZE is 0 or 1
 *   progress        no cycle without a consumed item: violated, the producer
 *                   may idle
 *
 * Macros
 *   SIZE   capacity of the buffer (default 3)
 *   MOD    modulus of the sequence numbers (default 8)
 *   SORTED   a wrong buffer that hands out items in sorted order: with numbers
 *          that wrap around this gives the wrong order
 *   The states grow linearly with SIZE and MOD: from tens to many thousands.
 */

#ifndef SIZE
#define SIZE 3
#endif
#ifndef MOD
#define MOD 8
#endif

mtype:kind = { item, stop }

chan buffer = [SIZE] of { mtype:kind, byte };

byte produced, consumed;       /* modulo MOD */

active proctype Producer()
{
	xs buffer;

	do
	:: nfull(buffer) ->
#ifdef SORTED
	   buffer!!item(produced);
#else
	   buffer!item(produced);
#endif
	   produced = (produced + 1) % MOD
	:: true -> skip                 /* nothing to produce yet */
	od
}

active proctype Consumer()
{
	byte n;

	xr buffer;

end:	do
	:: nempty(buffer) ->
	   buffer?item(n);
progress:  assert(n == consumed);
	   d_step { consumed = (consumed + 1) % MOD; n = 0 }
	od
}

ltl bounded { [] (len(buffer) <= SIZE) }

ltl delivered { [] (len(buffer) > 0 -> <> Consumer@progress) }

ltl expect_fail_never_full { [] (len(buffer) < SIZE) }

ltl expect_fail_lockstep { [] ((produced + MOD - consumed) % MOD <= 1) }
