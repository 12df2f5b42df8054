byte x;

active proctype A() {
	{
		x == 5
	} unless {
		timeout;
		x = 5
	};
	x = 6
}

active proctype B() {
	x == 1;
	x = 2
}
