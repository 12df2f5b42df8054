/* An inline that uses another; arguments may be expressions and elements. */
byte a[3];

inline set(v, e) { v = e }
inline fill(p, q, r, base) {
	set(p, base);
	set(q, base + 1);
	set(r, base * 2)
}

active [2] proctype P() {
	d_step { fill(a[0], a[1], a[2], 3) };
	assert(a[0] == 3 && a[1] == 4 && a[2] == 6)
}
