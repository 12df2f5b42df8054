/* A formula fails whatever follows, and what follows is a failure.
 * expected: safety violated, 2 states, 2 transitions
 * expected: ltl f violated, fair violated
 */
byte x;
active proctype P() { skip; x = 1 / x }
ltl f { x == 1 }
