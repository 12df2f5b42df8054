byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> break od; d_step { d_step { x = 4; x = 5 }; x = 6 } ; assert(x == 6) }
