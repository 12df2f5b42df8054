chan c0 = [2] of { byte, byte };
init {
  c0!!1,2;
  c0!2,1
}
trace {
  c0!_,_;
  c0!2,_
}
