/* Function-like macros, also nested and over several lines. */
#define MAX(a, b)   ((a) > (b) -> (a) : (b))
#define MAX3(a, b, c) MAX(a, MAX(b, c))
#define BUMP(v, k) \
	v = v + k; \
	assert(v >= k)
byte x = 4, y = 9, z = 6, m;

active proctype P() {
	m = MAX3(x, y, z);
	assert(m == 9);
	BUMP(x, 10);
	assert(x == 14)
}
