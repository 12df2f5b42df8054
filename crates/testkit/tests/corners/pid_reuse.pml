byte cnt;

proctype C() {
	cnt++;
	if
	:: cnt < 4 ->
		run D()
	:: else
	fi
}

proctype D() {
	byte m = _pid;
	cnt = cnt + m;
	_nr_pr > 1
}

init {
	run C();
	run D();
	_nr_pr < 3;
	run C()
}
