/* A run that stops stays in its last state for ever: a formula that counts steps reads that state again and again.
 * expected: safety holds, 3 states, 3 transitions
 * expected: ltl f violated, fair violated
 * expected: ltl g holds, fair holds
 */
byte x;
active proctype P() { x = 1 }
ltl f { [] (x == 1 -> X X X (x == 2)) }
ltl g { [] (x == 1 -> X X X (x == 1)) }
