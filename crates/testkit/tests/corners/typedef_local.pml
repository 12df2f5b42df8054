typedef R {
	byte a;
	chan q = [1] of { byte };
}

byte x;

active [2] proctype A() {
	R r;
	R s[2];
	r.q!1;
	s[1].q!2;
	r.a = len(r.q) + len(s[1].q) + len(s[0].q);
	r.q?x;
	s[1].q?x;
	x = r.a
}
