byte r;
active proctype P() { _priority = 5; r = _priority; assert(r == 5) }
