/*
 * Mutual exclusion by a token that travels round a ring of stations
 * (E. Newhall and W. Farmer, 1969; IBM Token Ring, 1984).
 *
 * Who holds the token may use the medium. Requests come at any time. With
 * -DBROKEN a station that waits may believe that the token was lost and make a
 * new one without asking anybody.
 *
 * Checked: one user at a time, one token in the ring, every request is served
 * (a requesting station only waits for the token to come round). That a station
 * is never overtaken must fail.
 *
 * Macros: N stations (about 2.5 times the states per station), BROKEN.
 */
#ifndef N
#define N 3
#endif

chan wire[N] = [1] of { bit };		/* wire[i] leads to station i */
bool wants[N];
byte using;				/* stations that use the medium */
byte last_user = N;
byte tokens = 1;

active [N] proctype Station() {
	do
	:: wire[_pid]?1 ->
		if
		:: wants[_pid] ->
			using++;
use:			atomic { assert(using == 1); last_user = _pid };
			d_step { using--; wants[_pid] = false }
		:: else
		fi;
		wire[(_pid + 1) % N]!1
#ifdef BROKEN
	:: atomic { wants[_pid] && tokens < 2 && empty(wire[_pid]) -> tokens++ };
		wire[(_pid + 1) % N]!1
#endif
	od
}

active proctype Users() {
	byte i;
	wire[0]!1;			/* the first token */
end:	do
	:: atomic {
		i = 0;
		do
		:: !wants[i] -> wants[i] = true; break
		:: i < N - 1 -> i++
		od;
		i = 0
	   }
	od
}

ltl exclusion        { [] (using <= 1) }
ltl one_token        { [] (tokens == 1) }
ltl station_0_served { [] (wants[0] -> <> !wants[0]) }
ltl used_fails       { <> (using == 1) }
ltl in_turn_fails    { [] (last_user == 0 -> (last_user == 0) W (last_user == 1)) }
