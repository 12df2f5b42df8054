/* #if, #elif, #else, defined() and #undef. */
#ifndef MODE
#define MODE 2
#endif
#if MODE == 1
#define STEP 1
#elif MODE == 2 && !defined(SLOW)
#define STEP 2
#else
#define STEP 3
#endif
#undef SLOW
#ifdef SLOW
#error "SLOW must be undefined here"
#endif
byte n;

active proctype P() {
	do
	:: n < 6 -> n = n + STEP
	:: else -> break
	od;
	assert(n % STEP == 0)
}
