/* hidden: a global outside the state vector, here a scratch variable. */
hidden byte scratch;
byte x;

active proctype P() {
	do
	:: x < 3 -> atomic { scratch = x; x = scratch + 1 }
	:: else -> break
	od
}
