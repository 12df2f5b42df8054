byte x;

proctype C() {
	atomic {
		x++;
		x++
	}
}

init {
	atomic {
		run C();
		run C();
		_nr_pr == 1;
		x = 7
	};
	assert(x == 7)
}
