chan c = [2] of { short, byte };
short s;

init {
	c!-1, 255;
	assert(c?[-1, 255]);
	assert(c?[-1, _]);
	assert(!c?[65535, _]);
	c!-1, 256;
	s = -1;
	c?eval(s), 255;
	assert(c?[eval(s), 0]);
	c?s, _
}
