byte x;
active proctype A() { _priority = 2; x = 1; _priority = 1; assert(x == 1) }
active proctype B() { x == 1; x = 2 }
