/* A run that never leaves its `atomic` stays where that began, for ever: a claim reads the same letter again and again, whatever
 * its form. Where a claim stood after one letter, `a` was said to be violated; `b` and `c` need several letters to be told apart.
 * expected: safety holds, 2 states, 2 transitions
 * expected: ltl a holds, fair holds
 * expected: ltl b violated, fair violated
 * expected: ltl c violated, fair violated
 * expected: ltl d holds, fair holds
 */
bit x, y;
active proctype P() { x = 1; atomic { do :: y = 1 - y od } }
ltl a { <> X !0 }
ltl b { [] (x -> X X X y) }
ltl c { <>[] x -> <>[] y }
ltl d { <>[] x && [] X X !y }
