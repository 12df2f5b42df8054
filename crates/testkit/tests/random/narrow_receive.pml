bit g0;
byte g1;
chan c0 = [1] of { byte };
active proctype P0() {
  skip;
  g1 = 1;
  c0?g0
}
init {
  c0!2
}
