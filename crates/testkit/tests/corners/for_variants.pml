byte a[3] = 2;

typedef P {
	byte x;
	bit y;
}

chan c = [3] of { P };
P p;
byte s;
int z;

init {
	for (z in a) {
		s = s + a[z];
		if
		:: z == 1 ->
			break
		:: else
		fi
	};
	p.x = 1;
	c!p;
	p.x = 2;
	c!p;
	for (p in c) {
		s = s + p.x
	};
	for (z : s .. s + 1) {
		a[0]++
	};
	for (z : s .. 1) {
		assert(false)
	};
	select (z : 1 .. 2);
	select (s : z .. z + 1)
}
