byte x;
active [2] proctype P() { do :: _ = x; skip; skip; x = 1 - x :: x -> skip; _ = x; skip; skip od }
