chan c = [1] of { byte, bool };
byte x;
bool b;

active proctype A() {
	do
	:: c!x, b;
		x = (x + 1) % 3
	:: c?x, b ->
		b = !b
	:: full(c) && x == 2 ->
		break
	od
}
