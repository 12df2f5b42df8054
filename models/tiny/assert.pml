/* assert: an error when its expression is 0. */
byte x;

active proctype A() { x = 1; assert(x != 2) }
active proctype B() { x = 2; assert (x) }
