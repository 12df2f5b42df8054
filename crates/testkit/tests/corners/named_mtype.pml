mtype:fruit = { apple, pear, fig };

mtype:car = { vw, bmw };

mtype = { x1, x2 };

mtype:fruit f = pear;
mtype:car c = bmw;
mtype m;
chan q = [2] of { mtype:fruit, mtype };

init {
	q!f, x1;
	q!fig, x2;
	q?pear, m;
	assert(m == x1);
	if
	:: q?eval(fig), x2
	:: q?apple, m
	fi;
	m = x2;
	assert(f == 2 && c == 1 && apple == 3)
}
