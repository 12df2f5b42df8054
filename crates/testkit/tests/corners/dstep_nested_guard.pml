byte x;
active proctype P() { do :: x < 3 -> x++; goto L :: x > 5 -> break od; L: d_step { x == 2; x = x + 2; d_step { x = x + 3 } } ; assert(x == 7) } active proctype Q() { x++ }
