/* Object-like macros, #ifndef defaults and -D options. */
#ifndef LIMIT
#define LIMIT 3
#endif
#define START  0
byte n = START;

active proctype Count() {
	do
	:: n < LIMIT -> n++
	:: else -> break
	od;
	assert(n == LIMIT)
}
