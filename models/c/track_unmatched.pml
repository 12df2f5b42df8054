/* `c_track ... "UnMatched"`: memory that is restored and not compared. */
c_decl { typedef struct T { int steps; } T; }
c_code { T u; }
c_track "&u" "sizeof(T)" "UnMatched"
byte x; byte lo;
active [2] proctype P() {
  do
  :: atomic { x < 3 -> x++; c_code { u.steps++; } }
  :: atomic { x > 0 -> x--; c_code { u.steps++; }; lo = 1 }
  :: x == 3 -> break
  od;
  assert(c_expr { u.steps >= 3 })
}
