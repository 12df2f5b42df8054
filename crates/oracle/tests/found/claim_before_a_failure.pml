/* A claim looks at a state before the step that leaves it: where every step from there fails, a formula that has failed already
 * was said to hold.
 * expected: safety violated, 3 states, 3 transitions
 * expected: ltl p violated, fair violated
 * expected: ltl q holds, fair holds
 */
byte g;
active proctype P() { if :: g = 1; g = 2 / (g - 1) :: g = 2; atomic { skip; g = 2 / (g - 2) } fi }
ltl p { [] (g == 0) }
ltl q { <> (g == 3) }
