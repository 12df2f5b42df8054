byte x;

active proctype A() {
	L1: L2: x++;
	if
	:: x < 3 ->
		goto L1
	:: x == 3 ->
		goto L2
	:: else
	fi;
	end_a: progress_b: x = 0
}
