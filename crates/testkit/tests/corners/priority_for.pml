byte r;
active proctype P() { for (_priority : 1 .. 3) { r = r + _priority } assert(r == 6) }
