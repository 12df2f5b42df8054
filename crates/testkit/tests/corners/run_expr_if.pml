byte p;

proctype C(byte n) {
	byte k = n;
	k++;
	p = k
}

init {
	pid a, b;
	a = run C(1);
	b = run C(a);
	do
	:: _nr_pr == 1 ->
		break
	:: p == 2 ->
		p = 0
	od;
	a = run C(9);
	assert(a == 1)
}
