byte r, n = 3;
active proctype P() { select (_priority : 1 .. n); r = _priority; assert(r > 1) }
