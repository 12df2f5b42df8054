/* A label was reached by a silent step together with the step before it, that others see.
 * expected: safety holds, 5 states, 5 transitions
 * expected: ltl ltl_0 holds, fair holds
 */
chan c0 = [2] of { int };

active proctype P0() {
	c0!1;
	printf("a line\n");
	L1:
}

ltl { len(c0) V !P0@L1 }
