/* `c_state ... "Hidden"`: outside of states; the least cost so far only ever falls. */
c_state "int best" "Hidden" "100"
byte cost; byte k;
active proctype P() {
  do
  :: k < 3 -> if :: cost = cost + 1 :: cost = cost + 5 fi; k++
  :: else -> break
  od;
  c_code { if (now.cost < best) best = now.cost; };
  assert(c_expr { best <= now.cost })
}
