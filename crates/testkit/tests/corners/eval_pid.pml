chan c = [2] of { pid, byte };
byte x;

active [3] proctype A() {
	c!(_pid + 1) % 3, _pid;
	c??eval(_pid), x
}
