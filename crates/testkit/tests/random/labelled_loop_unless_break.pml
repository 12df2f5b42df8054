byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> L: do :: x > 0 -> x-- :: x == 1 -> x = 0 od unless { x == 0; break } od }
