byte x;
active proctype P() {
  d_step {
    x = 0;
    do
    :: x < 2 -> x++
    :: else -> break
    od
  };
  x = 3
}
