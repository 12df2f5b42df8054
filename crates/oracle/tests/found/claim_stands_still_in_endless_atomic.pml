/* A claim that stands still inside an endless `atomic` accepted in a state on no cycle of its own.
 * expected: safety holds, 1 states, 1 transitions
 * expected: ltl f holds, fair holds
 */
byte x;
active proctype P() { atomic { do :: true od } }
ltl f { X !(x) }
