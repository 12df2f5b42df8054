/* The introductory example of Leue and Wei (SPIN 2005): a loop that sends freely, but for a variable that ends it. */
mtype = { m1, m2 };
chan c1 = [4] of { mtype };
chan c2 = [4] of { mtype };
bit x;

active proctype Left() {
  do
  :: c2?m2 -> c1!m1
  od
}

active proctype Right() {
  do
  :: x == 0 -> c2!m2; x = 1
  :: c1?m1 -> x = 0
  od
}
