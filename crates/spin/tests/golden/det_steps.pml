mtype = { go, halt };
byte n; short s = -3; bool flag;
chan box = [2] of { mtype, byte };
active proctype only() {
	byte k = 2; mtype m; bit b;
	printf("start %d %e\n", k, go);
	do
	:: n < 3 ->
		n++;
		s = s * 2
	:: else -> break
	od;
	box!go,n;
	box!halt,k;
	d_step { k = k + n; b = 1; flag = b };
	box?m,k;
	atomic { box?m,_; k = k - 1 };
	if
	:: m == halt -> printf("halted\n")
	:: else -> printf("no\n")
	fi;
	goto end_here;
	n = 99;
end_here:
	skip
}
