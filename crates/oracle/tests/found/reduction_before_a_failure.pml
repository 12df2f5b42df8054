/* A reduced set of one step that fails cut off what another process does for ever.
 * expected: safety violated, 1 states, 2 transitions
 * expected: acceptance violated, fair holds
 */
byte x;
active proctype P() { accept: goto accept }
init { x = 1 / x }
