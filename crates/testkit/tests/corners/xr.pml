chan c = [2] of { byte };
byte y;

active proctype A() {
	xs c;
	c!1;
	c!2
}

active proctype B() {
	xr c;
	c?y;
	c?y
}
