/* `c_track`: memory beside the state that is stored, compared and restored. */
c_decl { typedef struct T { int cnt; short log[2]; } T; }
c_code { T trk; }
c_track "&trk" "sizeof(T)"
byte done;
active [2] proctype P() {
  do
  :: c_expr { trk.cnt < 3 } -> c_code { trk.log[trk.cnt & 1] = PP->_pid + 1; trk.cnt++; }
  :: else -> break
  od;
  done++
}
