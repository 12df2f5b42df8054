/* Numbers are sorted by a row of processes (after the example that comes with SPIN). N is their number. */
#ifndef N
#define N 7
#endif
#define RANDOM (seed * 3 + 14) % 100

chan q[N] = [10] of { byte };

proctype left(chan out) {
  byte counter, seed;
  counter = 0; seed = 15;
  do
  :: out!seed ->
     counter = counter + 1;
     if
     :: counter == N -> break
     :: counter != N -> skip
     fi;
     seed = RANDOM
  od
}

proctype middle(chan in, out; byte procnum) {
  byte counter, myval, nextval;
  counter = N - procnum;
  in?myval;
  do
  :: counter > 0 ->
     in?nextval;
     if
     :: nextval >= myval -> out!nextval
     :: nextval < myval -> out!myval; myval = nextval
     fi;
     counter = counter - 1
  :: counter == 0 -> break
  od
}

proctype right(chan in) {
  byte biggest;
  in?biggest
}

init {
  byte proc = 1;
  atomic {
    run left(q[0]);
    do
    :: proc < N -> run middle(q[proc-1], q[proc], proc); proc = proc + 1
    :: proc == N -> break
    od;
    run right(q[N-1])
  }
}
