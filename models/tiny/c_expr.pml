/* Embedded C expressions as guards. */
int x;

active proctype P() {
	do
	:: c_expr { now.x < 3 } -> x++
	:: else -> break
	od;
	assert(c_expr { now.x == 3 })
}
