byte x;

active proctype A() {
	d_step {
		x = 1;
		if
		:: x == 1 ->
			goto out
		:: else
		fi;
		x = 5;
		out: x = 2
	};
	assert(x == 2)
}
