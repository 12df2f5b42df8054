active proctype P() {
  bit x;
  again: x = 1 - x;
  here: goto again
}
active proctype Q() {
  P@here;
  skip
}
