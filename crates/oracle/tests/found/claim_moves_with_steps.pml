/* A claim moves with a step, and a step that fails is none: no claim reads a letter here.
 * expected: safety violated, 1 states, 1 transitions
 * expected: ltl f holds, fair holds
 */
byte x;
proctype C(byte a) { skip }
init { run C(1 / x) }
ltl f { x == 1 }
