active [2] proctype P() priority 2 {
  bit x;
  if
  :: x = 0
  :: x = 1
  fi;
  assert(x == 0)
}
