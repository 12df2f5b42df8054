/* Locals and parameters of two instances, read and written as `PW->x`. */
byte total;
proctype W(byte k) {
  byte x; int y;
  c_code { PW->x = PW->k + 1; };
  do
  :: c_expr { PW->x > 0 } -> atomic { c_code { PW->x--; PW->y += PW->x; now.total++; } }
  :: else -> break
  od;
  assert(y == (k * (k + 1)) / 2)
}
init { run W(1); run W(2) }
