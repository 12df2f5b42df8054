/* _nr_pr: how many processes there are. */
proctype Child() { skip }

init {
	assert(_nr_pr == 1);
	run Child();
	assert(_nr_pr <= 2);
	_nr_pr == 1;
	run Child();
	run Child();
	assert(_nr_pr <= 3)
}
