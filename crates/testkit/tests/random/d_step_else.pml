/* A d_step that opens with `else` waits until no other option can be chosen, be it a d_step or not. */
byte x, r;
chan c = [1] of { byte };
active proctype P() {
    do
    :: d_step { x < 2 -> x++ }
    :: c?r
    :: d_step { else -> r = x; x = 9 }; break
    od;
    assert(r < 3)
}
active proctype Q() { if :: c!1 :: skip fi }
