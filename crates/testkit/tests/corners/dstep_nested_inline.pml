byte x; inline f() { d_step { x = 4; x = 5 } } active proctype P() { x = 1; goto L; x = 2; L: d_step { x = 3; f() } ; assert(x == 5) }
