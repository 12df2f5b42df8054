/* `c_expr` in a formula, through a macro. */
byte x;
#define big (c_expr { now.x >= 5 })
active proctype P() { do :: x < 4 -> x++ :: x > 1 -> c_code { now.x -= 2; } od }
ltl safe { [] !big }
