/* A d_step that opens with a handshake. */
chan c = [0] of { byte };
byte x, y;
active proctype R() { d_step { c?x; y = x + 1; x = 0 } }
active proctype S() { c!3; assert(y == 4) }
