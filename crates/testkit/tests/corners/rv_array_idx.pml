chan c[2] = [0] of { byte };
byte i;

active [2] proctype S() {
	c[_pid]!_pid;
	i = 1 - i
}

active proctype R() {
	byte v;
	do
	:: c[i]?v ->
		assert(v == i)
	:: c[1 - i]?eval(i)
	od
}
