mtype a = 1;
byte g;
chan c = [2] of { byte, bool };
active [2] proctype P() {
  do
  :: c!g,a
  :: c?eval(g),g
  od
}
