/* -> and ; mean the same between statements. */
byte x;

active proctype P() {
	x = 1 -> x = 2 -> x == 2 -> skip;
	(x == 2) -> x++;
	if :: x == 3; x = 4 :: x == 3 -> x = 5 fi
	-> assert(x > 3)
}
