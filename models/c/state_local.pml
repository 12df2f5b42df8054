/* `c_state ... "Local P"`: an object in the frame of each process. */
c_decl { typedef struct L { int a; int b; } L; }
c_state "L loc" "Local P" 
byte sum;
active [2] proctype P() {
  byte j;
  c_code { PP->loc.a = PP->_pid + 1; };
  do
  :: j < 2 -> c_code { PP->loc.b += PP->loc.a; }; j++
  :: else -> break
  od;
  c_code { now.sum += PP->loc.b; }
}
