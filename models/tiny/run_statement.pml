/* run as a statement. */
byte n;

proctype P(byte k) { n = n + k }

init {
	run P(3);
	run P(4);
	n == 7
}
