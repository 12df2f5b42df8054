/* Types of `c_decl`, functions of a `c_code` outside of bodies, loops, `switch`, pointers into the state. */
c_decl {
typedef struct Pair { int lo; int hi; } Pair;
enum { RED, GREEN = 4, BLUE };
}
byte v[5]; byte out; byte k;
c_code {
  static void minmax(unsigned char *p, int n, Pair *res) {
    int j;
    res->lo = 255; res->hi = 0;
    for (j = 0; j < n; j++) {
      if (p[j] < res->lo) res->lo = p[j];
      if (p[j] > res->hi) res->hi = p[j];
    }
  }
  int colour(int x) { switch (x) { case RED: return 10; case GREEN: return 20; default: return 30; } }
}
active proctype P() {
  do
  :: k < 5 -> if :: v[k] = 1 :: v[k] = 7 fi; k++
  :: else -> break
  od;
  c_code { Pair q; minmax(now.v, 5, &q); now.out = q.lo * 16 + q.hi + colour(GREEN); };
  assert(out == 37 || out == 43 || out == 139)
}
