chan c = [3] of { byte };
byte x;

active [2] proctype A() {
	do
	:: len(c) < 3 ->
		c!len(c)
	:: len(c) > 0 ->
		c?x
	:: len(c) * 2 == 6 ->
		break
	od
}
