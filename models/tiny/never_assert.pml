/* A never claim used as a monitor: an assertion checked in every state. */
byte x, y;

active proctype P() { x = 1; y = 1 }
active proctype Q() { x = 2; y = 2 }

never {
	do
	:: assert(y == 0 || x > 0)
	od
}
