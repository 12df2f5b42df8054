chan g = [1] of { chan };
byte x;

proctype P() {
	chan l = [1] of { byte };
	l!5;
	g!l;
	len(l) == 0
}

init {
	chan k;
	run P();
	g?k;
	k?x;
	_nr_pr == 1;
	run P();
	g?k;
	k?x
}
