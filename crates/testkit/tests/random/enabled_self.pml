active proctype P() {
  enabled(0)
}
