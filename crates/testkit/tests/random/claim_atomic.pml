short g0 = 1;
active proctype P0() {
  skip
}
never {
  atomic {
    g0 != 2;
    skip
  }
}
