byte r;
active proctype P() { d_step { _priority = 5; r = _priority; _priority++ ; r = r + _priority }; assert(r == 11) }
