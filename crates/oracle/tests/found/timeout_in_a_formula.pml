/* Where no process can move, a formula sees a timeout, as in SPIN.
 * expected: safety violated, 2 states, 2 transitions
 * expected: ltl a violated, fair violated
 * expected: ltl b holds, fair holds
 * expected: ltl c holds, fair holds
 * expected: ltl d violated, fair violated
 */
bit x;
active proctype P() { x = 1; x == 0 }
ltl a { [] !timeout }
ltl b { <> timeout }
ltl c { <>[] timeout }
ltl d { []<> !timeout }
