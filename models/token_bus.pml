/*
 * A token bus: stations on one wire, of which only the holder of the token sends.
 * (IEEE 802.4, 1985; the ways into and out of the logical ring are simplified.)
 *
 * All parties are processes of types of their own, and meet by rendezvous: clients
 * that have frames to send, stations that queue up to QUEUE of them, and the bus,
 * which also carries the token. A station sends up to BURST frames, then gives the token
 * back to the bus, which offers it to the next station that is switched on; an
 * operator switches stations off and on, but never the last one. Frames for a station
 * that is off are lost.
 *
 * Checked: frames come from the holder of the token, and no station hears itself. With
 * -DHASTY a station may send before it has the token.
 *
 * Macros: N stations, QUEUE, BURST.
 */
#ifndef N
#define N 2
#endif
#ifndef QUEUE
#define QUEUE 1
#endif
#ifndef BURST
#define BURST 1
#endif

chan submit[N] = [0] of { byte };	/* destination of a frame */
chan wire = [0] of { byte, byte };	/* from, to */
chan deliver[N] = [0] of { byte };	/* from */
chan grant[N] = [0] of { bit };		/* the token */
chan release = [0] of { byte };		/* the token comes back */
chan power[N] = [0] of { bool };

byte holder = N;	/* N: the bus itself */

proctype Client(byte me) {
	byte to;

end:	do
	:: to = (me + 1) % N; submit[me] ! to
	:: to = (me + N - 1) % N; submit[me] ! to
	od
}

proctype Station(byte me) {
	byte queued, sent, from, to;
	bool on = true;

end:	do
	:: submit[me] ? to ->
	   if
	   :: queued < QUEUE -> queued++
	   :: else		/* the queue is full: the frame is dropped */
	   fi
	:: deliver[me] ? from -> assert(from != me); from = 0
#ifdef HASTY
	:: queued > 0 -> wire ! me, to; queued--
#endif
	:: power[me] ? on
	:: grant[me] ? _ ->
	   holder = me;
	   do
	   :: on && queued > 0 && sent < BURST -> wire ! me, to; queued--; sent++
	   :: else -> break
	   od;
	   sent = 0;
	   if
	   :: queued == 0 -> to = 0
	   :: else
	   fi;
	   release ! me
	od
}

proctype Bus() {
	byte next, from, to;

end:	do
	:: grant[next] ! 0 -> holder = next;
	   do
	   :: wire ? from, to ->
	      assert(from == holder);
	      if
	      :: deliver[to] ! from
	      :: true		/* noise, or a station that does not listen */
	      fi;
	      from = 0; to = 0
	   :: release ? _ -> break
	   od;
	   holder = N; next = (next + 1) % N
#ifdef HASTY
	:: wire ? from, to -> assert(from == holder)
#endif
	od
}

proctype Operator() {
	byte i;

end:	do
	:: i = 0; power[0] ! false; power[0] ! true
	:: i = N - 1; power[i] ! false; power[i] ! true
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Client(i); run Station(i); i++
		:: else -> break
		od;
		run Bus(); run Operator();
		i = 0
	}
}
