chan a = [0] of { byte };
chan b = [0] of { byte };
chan c = [0] of { byte };
byte x, y, z;

active proctype A() {
	atomic {
		a!1;
		x = 1;
		c?z;
		x = 2
	}
}

active proctype B() {
	atomic {
		a?y;
		y = 2;
		b!y;
		y = 3
	}
}

active proctype C() {
	byte k;
	atomic {
		b?k;
		k++;
		c!k;
		k = 0
	}
}

active proctype D() {
	do
	:: x == 1 ->
		x = 5
	:: y == 3 ->
		break
	od
}
