byte x;
active [2] proctype P() { atomic { x++; goto L; x = 7 }; L: d_step { x < 4; x++; d_step { x++ } } ; x-- }
