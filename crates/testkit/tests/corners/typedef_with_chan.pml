typedef T {
	chan c = [1] of { byte };
	byte n = 3;
}

T t;
T u;
byte x;

active proctype A() {
	t.c!1;
	u.c!t.n;
	u.c?x
}

active proctype B() {
	t.c?x
}
