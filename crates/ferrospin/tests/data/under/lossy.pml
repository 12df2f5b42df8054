/*
 * The alternating bit protocol over channels that may lose a message. The sender repeats itself whenever it likes.
 *
 * `order` holds: the receiver gets the data in the order in which they were sent. `arrives` fails, because every
 * message may be lost.
 */
#ifndef N
#define N 3
#endif
#ifndef WINDOW
#define WINDOW 2
#endif

chan data = [WINDOW] of { byte, bit };
chan acks = [WINDOW] of { bit };
byte received;
bool wrong;

active proctype Sender() {
    byte value;
    bit turn, got;
    do
    :: data!value, turn
    :: acks?got ->
       if
       :: got == turn -> value = (value + 1) % N; turn = 1 - turn
       :: else -> skip
       fi
    od
}

active proctype Receiver() {
    byte value, expected;
    bit turn, got;
    do
    :: data?value, got ->
       if
       :: got == turn ->
          wrong = (value != expected);
          received = value;
          expected = (expected + 1) % N;
          turn = 1 - turn
       :: else -> skip
       fi;
       acks!got
    od
}

active proctype Loss() {
    do
    :: data?_, _
    :: acks?_
    od
}

ltl order { [] !wrong }
ltl arrives { [] <> (received == 1) }
