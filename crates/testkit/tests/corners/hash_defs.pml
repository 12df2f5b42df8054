#define N 3
#if N > 2
#define W(x, y) ((x) + (y))
#else
#define W(x, y) 0
#endif
#ifdef UNSET
this is not read
#endif
byte x;

active [N] proctype A() {
	byte l;
	l = W(x, 2) % N;
	x = l /* a comment */; // and another
	assert(l < N)
}
