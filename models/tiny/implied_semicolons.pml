/* Semicolons that may be left out: after a closing brace, fi and od. */
byte x

active proctype P()
{
	if
	:: x = 1
	fi
	do
	:: x < 3 -> x++
	:: else -> break
	od
	atomic { x++ }
	d_step { x++; x++ }
	{ x++ }
	assert(x == 7);
}
