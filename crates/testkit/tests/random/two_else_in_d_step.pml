byte x;
active proctype P() { d_step { if :: x == 1 :: else -> x = 2 :: if :: else -> x = 3 fi fi } }
