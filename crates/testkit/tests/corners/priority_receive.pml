byte r; chan c = [1] of {byte};
active proctype P() { c!7; c?_priority; r = _priority; assert(r == 7) }
