byte x;

proctype W(byte n) {
	x = x + n
}

init {
	atomic {
		run W(1);
		run W(2);
		run W(4)
	};
	_nr_pr == 1;
	assert(x == 7)
}
