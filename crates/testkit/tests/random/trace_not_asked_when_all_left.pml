chan c0 = [1] of { byte };
active proctype P0() {
  bit x
}
trace {
  c0!2
}
