byte n;
active proctype up() { do :: n < 6 -> n++ :: n > 3 -> n = 0 od }
ltl low { [] (n < 5) }
