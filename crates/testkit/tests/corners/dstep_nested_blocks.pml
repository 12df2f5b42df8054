byte x;
active proctype P() { L: d_step { x = x + 1; d_step { x = x + 1; x < 9 } } ; goto L }
