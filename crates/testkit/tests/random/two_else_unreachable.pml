active proctype A() {
  do
  :: skip;
     skip
  od;
  do
  :: do
     :: else
     od
  :: else
  od
}
