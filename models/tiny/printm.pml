/* printm prints the name of an mtype value. */
mtype = { ping, pong };
mtype m = ping;

init {
	printm(m); printf("\n");
	m = pong;
	printm(m);
	assert(m == 1)
}
