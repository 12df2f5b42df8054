#define LIMIT 3
#define swap(a, b) t = a; a = b; b = t
inline raise(v, by) {
	v = v + by;
	if
	:: v > 6 -> v = 6
	:: else
	fi
}
int sum; byte a[4]; byte t;
active proctype main() {
	byte i, j;
	for (i : 1 .. LIMIT) {
		sum = sum + i;
		a[i] = i * i
	}
	for (j in a) {
		raise(sum, a[j])
	}
	select (i : 2 .. 4);
	swap(a[0], a[3]);
	L: if
	:: sum == 6 && i > 2 -> sum--; goto L
	:: else -> skip
	fi;
	assert(sum == 6 || i != 4)
}
