/* Arithmetic of C: unsigned wrap, sign, shifts, short circuit, comma, conditional. */
int r1; int r2; byte k;
active proctype P() {
  if :: k = 3 :: k = 200 fi;
  c_code { unsigned u = (unsigned) now.k - 201u; signed char c = (signed char) now.k; int z = 0;
           now.r1 = (int)(u >> 28) + (c < 0 ? 100 : 50) + ((z != 0 && 10 / z > 1) ? 1000 : 0);
           now.r2 = (z = 4, z << 2) | (~now.k & 0xF); now.r2 ^= now.k > 100; };
  assert((k == 3 && r1 == 65) || (k == 200 && r1 == 115))
}
