byte r; inline f(x) { return x + 2 } active proctype P() { _priority = f(3); r = _priority; assert(r == 5) }
