/* A d_step that opens with a handshake, in a loop, under an escape that must not cut it, beside a sender in an atomic. */
chan c = [0] of { byte, byte };
byte x, y, z;
active proctype R() {
    {
        do
        :: d_step { c?1,x; if :: x == 3 -> y = 1 :: else -> y = 2 fi; x = 0 }
        :: d_step { c?2,x; z = x }
        od
    } unless { y == 2 && z == 5 }
}
active proctype S() { atomic { c!1,3; z = 1 }; c!2,5; c!1,4 }
active proctype T() { c!2,7; assert(x == 0 || z == 7 || z == 5 || z == 1) }
