chan c = [3] of { byte, byte };
byte a = 2;

active proctype S() {
	do
	:: c!a, 1
	:: c!3, a
	od
}

active proctype R() {
	do
	:: c??<eval(a), _> ->
		a = 3 - a
	:: c??3, _
	:: a == 3 ->
		break
	od
}
