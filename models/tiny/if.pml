/* if: one executable option is chosen; without any it blocks. */
byte x;

active proctype P() {
	if
	:: x = 1
	:: x = 2; x++
	:: x > 5 -> assert(false)
	fi;
	assert(x == 1 || x == 3)
}
