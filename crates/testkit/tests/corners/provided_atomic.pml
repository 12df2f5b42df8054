byte x;
bit t;

active proctype A() provided (t == 0) {
	atomic {
		x++;
		t = 1;
		x++;
		x++
	};
	assert(x == 3)
}

active proctype B() {
	do
	:: t == 1 ->
		t = 0
	:: x == 3 ->
		break
	od
}
