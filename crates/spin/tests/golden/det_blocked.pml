chan c = [0] of { byte };
byte x;
active proctype P() {
	x = 1;
	x = x + 1;
	c?x;
	x = 9
}
