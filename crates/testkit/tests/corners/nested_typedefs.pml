typedef I {
	short v[2];
	bit f;
}

typedef J {
	I i[2];
	byte n;
}

typedef K {
	J j[2];
}

K k;
byte x;

init {
	byte q;
	for (q : 0 .. 1) {
		k.j[q].i[1 - q].v[q] = q - 3;
		k.j[q].n = 255 + q
	};
	assert(k.j[0].n == 255 && k.j[1].n == 0);
	assert(k.j[0].i[1].v[0] == -3);
	if
	:: k.j[0].i[0].f = 3
	:: skip
	fi;
	x = k.j[0].i[0].f
}
