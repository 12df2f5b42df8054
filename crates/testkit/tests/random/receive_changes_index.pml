byte g;
chan c[2] = [1] of { mtype, bool };
active proctype P() {
  byte x;
  do
  :: c[g & 1]!1,1
  :: g = x
  od
}
active [2] proctype Q() {
  c[g & 1]?g,_
}
