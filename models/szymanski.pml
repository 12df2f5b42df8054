/*
 * Szymanski's mutual exclusion algorithm for N processes.
 * Boleslaw K. Szymanski, "A simple solution to Lamport's concurrent
 * programming problem with linear wait", 1988.
 *
 * A waiting room with an entry door and an exit door.  Processes that ask
 * while the entry is open gather in the room; the last one to come in shuts
 * the entry and opens the exit; they leave in the order of their index, and
 * the last one out opens the entry again.
 *
 *     outside    not interested
 *     asking     stands before the entry door
 *     waiting    in the room, waits for the door to be shut
 *     doorway    in the doorway of the entry
 *     closed     entry shut, on the way to the section
 *
 * The quantified tests ("all others are ...") are done one flag at a time,
 * in increasing order of index, as real hardware would.
 *
 * Checked
 *   assertion          never two processes in the critical section
 *   ltl exclusion      the same over control locations
 *   ltl linear_wait    process 0 enters when it has asked; holds with weak
 *                      fairness, violated without it
 *   ltl expect_fail_no_room
 *                      the waiting room is never used: false
 *   ltl expect_fail_first_come
 *                      process 1 does not enter while process 0 asks: false
 *
 * Macros
 *   N   number of processes (default 2): a factor of about 60 for each
 */

#ifndef N
#define N 2
#endif

mtype:door = { outside, asking, waiting, doorway, closed }

mtype:door flag[N] = outside;
byte users;

#define IN_ROOM(f)	((f) == doorway || (f) == closed)

/* await that cond holds for every k in lo..hi, one after the other */
#define AWAIT_ALL(lo, hi, cond) \
	k = lo; \
	do \
	:: k < (hi) -> (cond); k++ \
	:: k >= (hi) -> break \
	od; \
	k = 0

active [N] proctype Szymanski()
{
	byte k;

	do
	:: flag[_pid] = asking;
	   AWAIT_ALL(0, N, !IN_ROOM(flag[k]));
	   flag[_pid] = doorway;

	   /* is anybody still asking?  Then he will follow, wait for him */
	   do
	   :: k < N && flag[k] == asking ->
		k = 0;
		flag[_pid] = waiting;
		do                      /* until someone has shut the door */
		:: flag[k] == closed -> k = 0; break
		:: else -> k = (k + 1) % N
		od;
		break
	   :: k < N && flag[k] != asking -> k++
	   :: k == N -> k = 0; break
	   od;

	   flag[_pid] = closed;
	   AWAIT_ALL(0, _pid, flag[k] == outside || flag[k] == asking);

	   users++;
cs:	   assert(users == 1);
	   users--;

	   /* leave only when all who follow know that the door is shut */
	   AWAIT_ALL(_pid + 1, N, flag[k] != waiting && flag[k] != doorway);
	   flag[_pid] = outside
	od
}

ltl exclusion { [] !(Szymanski[0]@cs && Szymanski[1]@cs) }

ltl linear_wait { [] (flag[0] == asking -> <> Szymanski[0]@cs) }

ltl expect_fail_no_room { [] (flag[0] != waiting && flag[1] != waiting) }

ltl expect_fail_first_come { [] (flag[0] == asking -> (!Szymanski[1]@cs W Szymanski[0]@cs)) }
