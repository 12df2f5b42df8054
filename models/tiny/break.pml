/* break leaves the innermost loop. */
byte inner, outer;

active proctype P() {
	do
	:: outer < 2 ->
		do
		:: inner++; break
		od;
		outer++
	:: else -> break
	od;
	assert(inner == 2)
}
