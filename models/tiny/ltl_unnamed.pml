/* A single ltl block without a name. */
byte n = 3;

active proctype Down() {
	do
	:: n > 0 -> n--
	:: else -> break
	od
}

ltl { <> (n == 0) }
