/* goto and labels, forwards, backwards and into a loop. */
byte n;

active proctype P() {
	goto middle;
top:	n++;
middle:
	if
	:: n < 3 -> goto top
	:: else
	fi;
	do
	:: n < 6 ->
again:		n++
	:: n == 6 -> goto out
	od;
out:	assert(n == 6)
}
