/* #include of a neighbour file, found beside this one. */
#include "pp_include.h"

active proctype P() {
	x = LIMIT;
	double(x);
	assert(x == 2 * LIMIT)
}
