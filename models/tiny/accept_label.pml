/* accept labels: an infinite run through one is an acceptance cycle. */
byte n;

active proctype P() {
	do
	:: n < 3 -> n++
	:: n > 0 ->
accept_back:	n--
	:: n == 3 -> break
	od
}
