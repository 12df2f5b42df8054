chan c = [4] of { byte, byte };
byte a;

active proctype S() {
	c!1, 1;
	c!2, 2;
	c!3, 3;
	c!2, 4
}

active proctype R() {
	do
	:: c??2, a
	:: c??eval(a), _
	:: c??<3, a> ->
		break
	od
}

active proctype Q() {
	c??[3, 3];
	c?a, _
}
