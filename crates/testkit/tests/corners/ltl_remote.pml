byte x;

active proctype A() {
	x = 1;
	L: x = 2;
	x = 3
}

ltl p { [] (A@L -> x == 1) }
ltl q { <> A[0]@L && [] !(x == 9) }
