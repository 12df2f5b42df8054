/*
 * N philosophers who take the left fork, then the right one, except for the last, who takes them the other way round.
 *
 * `neighbours` holds: two who share a fork do not eat at once. `eats` fails without fairness.
 */
#ifndef N
#define N 4
#endif

bit fork[N];
bit eating[N];

active [N] proctype Philosopher() {
    byte first, second;
    first = (_pid == N - 1 -> 0 : _pid);
    second = (_pid == N - 1 -> N - 1 : _pid + 1);
    do
    :: atomic { fork[first] == 0 -> fork[first] = 1 };
       atomic { fork[second] == 0 -> fork[second] = 1 };
       eating[_pid] = 1;
       eating[_pid] = 0;
       fork[second] = 0;
       fork[first] = 0
    od
}

ltl neighbours { [] !(eating[0] && eating[1]) }
ltl eats { [] <> eating[0] }
