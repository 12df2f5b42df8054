/*
 * A ring of stations that hand tokens on by rendezvous. (The slotted ring of
 * J. Pierce, "Network for block switching of data", 1972, with stations as in
 * G. Le Lann's token ring, 1977.)
 *
 * Every station sends to the next one and receives from the one before, both by
 * handshake. K tokens go round; a station that has work keeps a token for up to
 * HOLD rounds of its own, and adds what it has produced to the load of the token, modulo
 * LOADS. As long as there are fewer tokens than stations the ring cannot block.
 *
 * Checked: a station begins anew with every token; somebody can always move. With
 * -DK=N all stations wait to send.
 *
 * Macros: N stations, K tokens, HOLD rounds, LOADS loads of a token.
 */
#ifndef N
#define N 4
#endif
#ifndef K
#define K 2
#endif
#ifndef HOLD
#define HOLD 1
#endif
#ifndef LOADS
#define LOADS 2
#endif

chan link[N] = [0] of { byte };	/* the load of a token */

proctype Station(byte me; bool begins) {
	byte load, held;
	bool busy;

	if
	:: begins -> goto has
	:: else
	fi;
idle:
	do
	:: !busy -> busy = true	/* work has come */
	:: link[me] ? load -> break
	od;
has:
	assert(held == 0);
	do
	:: busy && held < HOLD -> held++; load = (load + 1) % LOADS
	:: busy && held == HOLD -> busy = false
	:: link[(me + 1) % N] ! load -> break
	od;
	held = 0; load = 0;
	goto idle
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Station(i, i < K); i++
		:: else -> break
		od;
		i = 0
	}
end:	false
}
