/* enabled(p): could process p move? (in a claim) */
byte x;

active proctype A() { x == 1 -> x = 2 }
active proctype B() { x = 1 }

never {
	do
	:: assert(x != 0 || !enabled(0))
	od
}
