/* `c_code [condition] { ... }`: a condition that is false is an error. */
int idx; byte a[3];
active proctype P() {
  do
  :: idx < 4 -> c_code [now.idx < 3] { now.a[now.idx] = 1; }; idx++
  :: else -> break
  od
}
