/* Character literals are small numbers, escapes included. */
byte c = 'a';
int nl;

init {
	nl = '\n';
	assert(c == 97 && nl == 10 && '\t' == 9 && '\\' == 92 && '0' == 48);
	c = c + 1;
	assert(c == 'b')
}
