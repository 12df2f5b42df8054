active D_proctype P() {
  bit x;
  if
  :: x = 1
  :: skip
  fi
}
