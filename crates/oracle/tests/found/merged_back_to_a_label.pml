/* A process that leaves a label and comes back by silent steps was never seen elsewhere.
 * expected: safety violated, 18 states, 49 transitions
 * expected: ltl always violated, fair violated
 * expected: ltl other violated, fair holds
 */
byte x;
active proctype P() { L: true; skip; goto L }
active proctype Q() { byte y; M: y = 1; y = 2; goto M }
init { assert(x == 1) unless { P@L } }
ltl always { [] P@L }
ltl other { [] <> !Q@M }
