byte x;
active proctype P() { d_step { x = 1; L: d_step { x++; d_step { x++ } }; if :: x < 8 -> goto L :: else fi } ; assert(x == 9) }
