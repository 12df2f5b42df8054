byte x;

proctype W(byte n) {
	if
	:: n > 0 ->
		run W(n - 1)
	:: else
	fi;
	x = n;
	assert(_pid + n == 3)
}

init {
	run W(2)
}
