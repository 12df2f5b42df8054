active proctype A() {
  false
}
never {
  true;
  true;
  true
}
