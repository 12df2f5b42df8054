/* else: executable when no other option is. */
byte x;

active proctype P() {
	do
	:: x < 2 -> x++
	:: x == 2 -> x = 7
	:: else -> break
	od;
	if
	:: x < 7 -> assert(false)
	:: else
	fi
}
