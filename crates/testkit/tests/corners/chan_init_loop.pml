chan g[2];
byte x;

proctype C(chan o; byte n) {
	chan mine = [1] of { byte };
	mine!n;
	o!mine;
	mine!n + 1;
	len(mine) == 0
}

init {
	chan k = [2] of { chan };
	chan h;
	byte i;
	do
	:: i < 2 ->
		run C(k, i);
		k?h;
		g[i] = h;
		h?x;
		h?x;
		i++
	:: else ->
		break
	od
}
