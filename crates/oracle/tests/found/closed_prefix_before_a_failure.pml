/* A formula that counts steps fails whatever follows, and what follows is a failure: its closure saw infinite runs only.
 * expected: safety violated, 3 states, 3 transitions
 * expected: ltl f violated, fair violated
 * expected: ltl g holds, fair holds
 */
byte x;
active proctype P() { skip; skip; x = 1 / x }
ltl f { X (x == 1) }
ltl g { X (x == 0) }
