/* An escape that opens with an escape of its own, at the head of a block. */
byte g;
active proctype P() {
    { { g = 2 } unless { { g = 3 } unless { g != 1 } } }
}
