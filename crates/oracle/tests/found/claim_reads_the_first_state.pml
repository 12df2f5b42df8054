/* A claim reads the first state before the step that leaves it, though that fails.
 * expected: safety violated, 1 states, 1 transitions
 * expected: ltl f violated, fair violated
 */
byte x;
proctype C(byte a) { skip }
init { run C(1 / x) }
ltl f { x == 1 }
