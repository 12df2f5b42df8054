/* No scheduler can end an `atomic` without an end: the run is fair, though another process waits.
 * expected: safety holds, 3 states, 3 transitions
 * expected: ltl f violated, fair violated
 * expected: progress violated, fair violated
 */
bit x, y;
active proctype P() { atomic { do :: y = 1 - y od } }
active proctype Q() { progress: x = 1 }
ltl f { <> x }
