chan c = [0] of { byte, byte };
proctype P(chan via) {
  if
  :: via!1
  :: else
  fi
}
init {
  run P(c)
}
