chan c = [0] of { byte };
active proctype P() {
  c!0
}
notrace {
  c!0
}
