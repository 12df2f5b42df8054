/* _last: the process that moved last. */
byte x;

active proctype A() { x = 1; assert(_last == 0 || _last == 1) }
active proctype B() { x = 2; assert(_last < 2) }
