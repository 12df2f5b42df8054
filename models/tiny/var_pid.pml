/* _pid: the number of the own process. */
byte owner = 255;

active [3] proctype P() {
	atomic { owner == 255 -> owner = _pid };
	assert(owner == _pid);
	owner = 255
}
