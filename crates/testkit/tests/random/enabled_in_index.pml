byte a[2]; byte x;
active proctype P() { do :: a[enabled(1)] == 0 -> x = 1 - x :: x == 1 -> break od }
active proctype Q() { do :: a[enabled(0)] == 0 -> x = 1 - x; break :: x == 1 -> break od }
