chan a = [0] of { byte };
chan b = [1] of { byte };
byte x, y;

active [2] proctype A() {
	atomic {
		a!_pid;
		x++;
		b!1;
		x--
	}
}

active proctype B() {
	do
	:: atomic {
			a?y;
			b?[1];
			y = 0
		}
	:: b?_
	od
}
