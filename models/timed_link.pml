/*
 * A data link with timers: every party is a process of its own, and all of them
 * meet by rendezvous. (After the bounded retransmission protocol of Philips; L. Helmink,
 * M. Sellink, F. Vaandrager, "Proof-checking a data link protocol", 1994.)
 *
 * The sender gets messages of 1 to CHUNKS chunks from its client, sends them one by
 * one through a medium that loses some, and waits for an acknowledgement. Its timer runs
 * out only after a loss, as premature time-outs are excluded by their length; after MAX
 * repetitions it gives up. The receiver tells its client of the first, of
 * further and of the last chunk, and its own timer says when the sender has
 * given up.
 *
 * Checked: the receiver's client gets chunks in order, and all of them if
 * the sender's was told that all went well; every request is answered. With -DFLAT the chunks carry no
 * alternating bit, and a repeated one is taken for the next.
 *
 * Macros: CHUNKS, MAX, LINKS independent links side by side.
 */
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef MAX
#define MAX 2
#endif
#ifndef LINKS
#define LINKS 1
#endif

mtype = { first, further, last, ok, gave_up, unsure };

chan request[LINKS] = [0] of { byte };
chan confirm[LINKS] = [0] of { mtype };
chan indicate[LINKS] = [0] of { mtype, byte };
chan to_medium[LINKS] = [0] of { mtype, bit, byte };
chan from_medium[LINKS] = [0] of { mtype, bit, byte };
chan to_back[LINKS] = [0] of { bit };
chan from_back[LINKS] = [0] of { bit };
chan lost[LINKS] = [0] of { bit };	/* what a timer waits for: nothing is under way */
chan reset[LINKS] = [0] of { bit };	/* the sender is silent for good */

byte taken[LINKS];	/* chunks that the receiver's client has */
bool waits[LINKS];	/* the sender's client waits for an answer */

proctype Client(byte i) {
	byte n;
	mtype said;

end:	do
	:: n = 0;
	   do
	   :: n < CHUNKS -> n++
	   :: n > 0 -> break
	   od;
	   taken[i] = 0; waits[i] = true; request[i] ! n;
	   confirm[i] ? said;
	   if
	   :: said == ok -> assert(taken[i] == n)
	   :: said == unsure -> assert(taken[i] + 1 >= n)
	   :: said == gave_up -> assert(taken[i] < n)
	   fi;
	   waits[i] = false
	od
}

proctype Sender(byte i) {
	byte n, at, tries;
	bit b, got;

end:	do
	:: request[i] ? n;
	   at = 1; tries = 0;
	   do
	   :: at <= n ->
	      to_medium[i] ! (at == n -> last : (at == 1 -> first : further)), b, at;
	      if
	      :: from_back[i] ? got -> b = 1 - b; at++; tries = 0
	      :: lost[i] ? _ ->
	         if
	         :: tries < MAX -> tries++
	         :: else -> break
	         fi
	      fi
	   :: else -> break
	   od;
	   if
	   :: at > n -> confirm[i] ! ok
	   :: at == n && at <= n -> reset[i] ! 0; confirm[i] ! unsure
	   :: at < n -> reset[i] ! 0; confirm[i] ! gave_up
	   fi
	od
}

proctype Medium(byte i) {
	mtype kind;
	bit b;
	byte data;

end:	do
	:: to_medium[i] ? kind, b, data ->
	   if
	   :: from_medium[i] ! kind, b, data
	   :: lost[i] ! 0
	   fi
	:: to_back[i] ? b ->
	   if
	   :: from_back[i] ! b
	   :: lost[i] ! 0
	   fi
	od
}

proctype Receiver(byte i) {
	mtype kind;
	bit b, expected;
	byte data;
	bool fresh = true;	/* the next bit may be any */

end:	do
	:: from_medium[i] ? kind, b, data ->
	   if
#ifdef FLAT
	   :: true ->
#else
	   :: fresh || b == expected ->
#endif
	      indicate[i] ! kind, data; expected = 1 - b; fresh = false
#ifndef FLAT
	   :: else
#endif
	   fi;
	   to_back[i] ! b
	:: reset[i] ? _ -> fresh = true; expected = 0
	od
}

proctype Listener(byte i) {
	mtype kind;
	byte data;

end:	do
	:: atomic {
	      indicate[i] ? kind, data ->
	      assert(data == taken[i] + 1);
	      taken[i]++;
	      data = 0
	   }
	od
}

init {
	byte i;
	atomic {
		do
		:: i < LINKS ->
		   run Client(i); run Sender(i); run Medium(i); run Receiver(i); run Listener(i);
		   i++
		:: else -> break
		od;
		i = 0
	}
}

ltl answered { [] (waits[0] -> <> !waits[0]) }
ltl succeeds_fails { [] (waits[0] -> <> (taken[0] == CHUNKS)) }
