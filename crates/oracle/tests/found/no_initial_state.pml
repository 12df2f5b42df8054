/* The initial values fail: no run violates the formula.
 * expected: safety violated, 0 states, 0 transitions
 * expected: ltl f holds, fair holds
 */
byte i = 2;
chan c[2] = [0] of { byte };
active proctype P() { chan h = c[i] }
ltl f { i == 1 }
