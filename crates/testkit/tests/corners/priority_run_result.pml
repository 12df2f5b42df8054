byte r; proctype Q() { skip } init { _priority = run Q(); r = _priority; assert(r == 1) }
