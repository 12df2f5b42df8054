/* A never claim written by hand: x is never 2 twice in a row for ever. */
byte x;

active proctype P() {
	do
	:: x < 2 -> x++
	:: x == 2 -> x = 0
	od
}

never {	/* <>[] (x == 2) */
wait:
	do
	:: true
	:: x == 2 -> goto accept_stuck
	od;
accept_stuck:
	do
	:: x == 2
	od
}
