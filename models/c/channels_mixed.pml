/* C among channel operations, in `d_step` and `atomic`, in inlines, and `c_expr` in larger expressions. */
chan c = [2] of { byte, byte };
byte seen;
inline check(x) { if :: c_expr { (Pp_R->v & 1) == 0 } -> x = x + 2 :: else -> x = x + 1 fi }
active proctype p_S() { byte i; do :: i < 3 -> d_step { c_code { Pp_S->i = Pp_S->i + 1; }; seen = seen | i }; c!i,_pid :: else -> break od }
active proctype p_R() { byte v, w, s; do :: s < 4 -> c?v,w; atomic { check(s) } :: else -> break od; assert(c_expr { now.seen > 0 } && s >= 4) }
