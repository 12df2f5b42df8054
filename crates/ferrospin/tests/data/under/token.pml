/*
 * A ring of N stations. A station works for itself as long as it likes, then waits for the token, uses what only one may
 * use, and passes the token on.
 *
 * `alone` holds. `comes` fails: a station that works for ever never passes the token on.
 */
#ifndef N
#define N 5
#endif

byte token;
byte users;

active [N] proctype Station() {
    bit work;
    do
    :: do
       :: work = 1 - work
       :: break
       od;
       token == _pid;
       users++;
       users--;
       token = (token + 1) % N
    od
}

ltl alone { [] (users <= 1) }
ltl comes { [] <> (token == N - 1) }
