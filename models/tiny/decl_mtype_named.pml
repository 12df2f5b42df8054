/* mtype:NAME declares separate enumerations; each counts on its own. */
mtype:colour = { red, green };
mtype:shape = { circle, square, star };
mtype:colour c = red;
mtype:shape s = star;
chan q = [1] of { mtype:colour };

init {
	q!c;
	q?c;
	assert(c == red && c == 2 && s == 1 && circle == 3)
}
