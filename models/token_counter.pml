/*
 * A token that counts its rounds on a ring.
 * The token ring is due to D. J. Farber and K. Larson (1970), IEEE 802.5.
 *
 * N stations pass a token around over rendezvous channels.  The token holds
 * a counter of BITS bits which the first station increments each round, and
 * which wraps around; every station remembers the last value it has seen.
 * A station may hold the token for a while; only then it may send.
 *
 * Checked
 *   assertions       only one station sends at a time; a station sees the
 *                    counter go up by exactly one, modulo 2^BITS
 *   ltl one_sender   the same for stations 0 and 1
 *   ltl expect_fail_comes_back
 *                    station 0 has the token again and again: false, even
 *                    with fairness, since a holder may send for ever
 *   ltl reaches_end  if the token goes round for ever, the counter reaches
 *                    its largest value again and again
 *   ltl expect_fail_small
 *                    the counter stays below its largest value: false
 *   -DLOSSY          a station may drop the token and die: the others are
 *                    left at `end_idle', a valid end state unless -DSTRICT
 *
 * Macros
 *   N       number of stations (default 3)
 *   BITS    width of the counter, 1 to 8 (default 3)
 *   LOSSY   the token may be lost
 *   STRICT  waiting for a token for ever counts as an error
 *   The number of states is about 10 * N * 2^BITS.
 */

#ifndef N
#define N 3
#endif
#ifndef BITS
#define BITS 3
#endif

#define LAST ((1 << BITS) - 1)

chan ring[N] = [0] of { byte };        /* ring[i]: into station i */
unsigned senders : 2;
bool sending[N];
unsigned count : BITS;                 /* the value under way, for ltl */

proctype Station(byte id)
{
	unsigned seen : BITS = LAST;
	unsigned value : BITS;

#ifdef STRICT
idle:
#else
end_idle:
#endif
	ring[id]?value;
	if
	:: id == 0 -> value++           /* wraps around by its width */
	:: else
	fi;
	count = value;

holding:
	assert(value == ((seen + 1) & LAST));
	seen = value;
	do
	:: senders++;
	   sending[id] = true;
	   assert(senders == 1);
	   sending[id] = false;
	   senders--
	:: break
	od;
#ifdef LOSSY
	if
	:: true -> goto stop            /* drop the token and leave */
	:: true
	fi;
#endif
	ring[(id + 1) % N]!value;
	#ifdef STRICT
	goto idle;
#else
	goto end_idle;
#endif
stop:
	assert(value <= LAST)
}

init {
	byte i;

	atomic {
		for (i : 0 .. N-1) { run Station(i) }
		i = 0
	}
	ring[0]!LAST                    /* put the token on the ring */
}

ltl one_sender { [] !(sending[0] && sending[1]) }

ltl expect_fail_comes_back { [] <> Station[1]@holding }

ltl reaches_end { ([] <> Station[1]@holding) -> [] <> (count == LAST) }

ltl expect_fail_small { [] (count < LAST) }
