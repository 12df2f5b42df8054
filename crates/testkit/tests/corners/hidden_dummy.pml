chan c = [1] of { byte, byte };
byte y;

active proctype A() {
	c!1, 2;
	_ = y;
	c?_, y;
	_ = 7
}
