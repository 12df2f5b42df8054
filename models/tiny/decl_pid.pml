/* pid holds the number of a process. */
pid child;

proctype Child() { skip }

init {
	pid me = _pid;
	child = run Child();
	assert(me == 0 && child == 1)
}
