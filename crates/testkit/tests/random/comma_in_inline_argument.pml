byte g0;
chan c0 = [1] of { byte, byte, byte };
inline value(v) { g0 = (v + g0) % 3 }
active proctype C() { value((c0?[1,_,_] -> 1 : g0)) }
