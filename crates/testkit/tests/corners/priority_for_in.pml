byte r; byte a[3];
active proctype P() { for (_priority in a) { r = r + _priority } assert(r == 6) }
