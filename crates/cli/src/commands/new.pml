/*
 * A lock for two processes, to start from.
 *
 *   ferrospin check FILE       does every run keep what is stated below?
 *   ferrospin simulate FILE    one run, at random
 *   ferrospin test FILE        is everything as it is expected here?
 *
 * expect:
 *   safety holds
 *   ltl exclusion holds
 *   ltl progress holds
 *   ltl served violated
 */

bit locked;            /* shared by all processes; 0 at the start     */
byte inside;           /* how many are in the critical section        */

/* Two processes of this type run from the start; _pid is 0 and 1. */
active [2] proctype Worker()
{
	do
	:: atomic { locked == 0 -> locked = 1 };   /* waits until it can be taken */
	   inside++;
critical:  assert(inside == 1);                /* checked in every run        */
	   inside--;
	   locked = 0
	od
}

/* [] always, <> eventually; P[0]@label: process 0 stands at the label. */
ltl exclusion { [] (inside <= 1) }

/* Some process gets in again and again ... */
ltl progress { [] <> (inside == 1) }

/* ... but process 0 need not: the other one may take the lock each time. */
ltl served { [] <> Worker[0]@critical }   /* expect: violated */
