typedef T { byte x; byte y };
T t[2];
active proctype C() {
	byte i = 1;
	t[i].y++;
	assert(t[1].y == 0)
}
