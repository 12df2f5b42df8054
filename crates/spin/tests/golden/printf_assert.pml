/* `Printf`, `memset`, `memcpy`, `memcmp`, `sizeof`, and an error that C reports itself. */
byte a[4]; byte b[4]; byte n;
active proctype P() {
  c_code { memset(now.a, 7, sizeof(now.a)); Printf("set %d\n", now.a[0]); };
  if :: n = 1 :: n = 2 fi;
  c_code { memcpy(now.b, now.a, 4); now.b[now.n] = 0; };
  assert(c_expr { (memcmp(now.a, now.b, 4) != 0) });
  c_code { if (now.n == 2) uerror("n is two"); };
  n = 9
}
