/* A d_step may open with a receive from anywhere in a channel that has no buffer: there is one message at most. */
byte r;
chan c = [0] of { byte, bool };
active proctype P() {
    d_step { c??r,0; r = r + 7 };
    assert(r == 9)
}
init {
    if
    :: c!1,1
    :: c!2,0
    fi
}
