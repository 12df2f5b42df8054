byte r;
active proctype P() { select (_priority : 1 .. 3); r = _priority; assert(r > 1) }
