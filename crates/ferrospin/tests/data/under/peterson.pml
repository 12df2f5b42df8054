/*
 * Mutual exclusion of N processes by N - 1 levels, on each of which the last to come waits (G. Peterson, "Myths about the
 * mutual exclusion problem", 1981).
 *
 * `exclusion` holds, unless BROKEN: then the last to come does not look at all the others. `enters` holds: once the first
 * process tries, somebody comes in.
 */
#ifndef N
#define N 3
#endif
#ifdef BROKEN
#define SEEN (N - 1)
#else
#define SEEN N
#endif

byte level[N];
byte last[N];
byte critical;

active [N] proctype P() {
    byte l, k;
    do
    :: l = 1;
       do
       :: l < N ->
          level[_pid] = l;
          last[l] = _pid;
          k = 0;
          do
          :: k < SEEN && k == _pid -> k++
          :: k < SEEN && k != _pid ->
             if
             :: level[k] < l || last[l] != _pid -> k++
             fi
          :: k >= SEEN -> break
          od;
          l++
       :: l == N -> break
       od;
       critical++;
       critical--;
       level[_pid] = 0
    od
}

ltl exclusion { [] (critical <= 1) }
ltl enters { [] (level[0] == 1 -> <> (critical == 1)) }
