byte g0 = 2;
chan c1 = [2] of { byte };
active proctype P1() {
  atomic { { { g0 = 1 } unless { g0 >= 2 } } unless { c1?0 } }
}
init { c1!0 }
