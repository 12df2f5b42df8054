chan c = [1] of { byte, byte };
chan r = [0] of { byte };
active proctype A() {
  d_step { c?<_,_> }
}
