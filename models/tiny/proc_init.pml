/* init starts the processes and waits for them. */
byte done;

proctype Job(byte id) { done = done + id }

init {
	atomic { run Job(1); run Job(2) };
	done == 3;
	_nr_pr == 1;
	assert(done == 3)
}
