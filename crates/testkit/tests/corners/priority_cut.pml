short r;
active proctype P() { _priority = -1; r = _priority; assert(r == 255) }
