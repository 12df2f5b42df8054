byte x;
active proctype P() priority 3 {
  if
  :: set_priority(1, 3)
  :: x == 0
  fi
}
