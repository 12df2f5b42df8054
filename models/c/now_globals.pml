/* Globals of every integer type, arrays and records, read and written as `now.x` by two processes. */
byte n; short s; int i; bool b; byte a[4];
typedef R { byte f; int g[2] };
R r;
active [2] proctype P() {
  do
  :: c_expr { now.n < 3 } -> c_code { now.n++; now.s = -now.n; now.i = now.i * 2 + 1; now.b = !now.b; now.a[now.n & 3] = now.n; now.r.g[1] = now.r.f + 1; now.r.f = now.n; }
  :: else -> break
  od;
  assert(s == -n)
}
