/* An `atomic` never ends; the formula fails before.
 * expected: safety holds, 1 states, 1 transitions
 * expected: ltl f violated, fair violated
 */
bit x;
proctype C() { skip }
init { atomic { run C(); do :: else od } }
ltl f { x }
