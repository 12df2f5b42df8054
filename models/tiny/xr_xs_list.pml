/* xr and xs with several channels. */
chan a = [1] of { byte };
chan b = [1] of { byte };
chan c[2] = [1] of { byte };

active proctype S() {
	xs a, b;
	a!1; b!2; c[0]!3
}

active proctype R() {
	xr a, b;
	byte v;
	a?v; b?v; c[0]?v;
	assert(v == 3)
}
