byte r;
active proctype P() { _priority++; r = _priority; assert(r == 2) }
