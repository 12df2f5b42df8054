byte x;
active proctype P() { x = 1; goto L; x = 2; L: d_step { if :: x == 1 -> d_step { x = 4; x = 5 } fi } ; assert(x == 5) }
