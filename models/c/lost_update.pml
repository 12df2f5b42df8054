/* Two processes read a tracked counter and write it back plus one. A reduction that takes the reads for local misses the
 * lost update, as SPIN does without `-DNOREDUCE`. */
c_code { int shared; }
c_track "&shared" "sizeof(int)"
byte done;
active [2] proctype P() {
  int tmp;
  c_code { PP->tmp = shared; };
  c_code { shared = PP->tmp + 1; };
  done++;
  (done == 2);
  assert(c_expr { shared == 2 })
}
