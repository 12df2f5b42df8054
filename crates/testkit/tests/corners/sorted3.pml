chan c = [4] of { byte, short, bit };
byte a;
short b;
bit d;

init {
	c!!3, 1, 1;
	c!!1, -2, 0;
	c!!3, -5, 1;
	c!!1, -2, 1;
	c?a, b, d;
	assert(a == 1 && b == -2 && d == 0);
	c?a, b, d;
	assert(d == 1);
	c?a, b, d;
	assert(b == -5);
	if
	:: c!!0, 0, 0
	:: c!9, 0, 0
	fi;
	c??3, b, d
}
