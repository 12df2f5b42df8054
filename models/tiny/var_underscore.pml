/* _ : a write-only place for values nobody wants. */
chan q = [1] of { byte };
byte x = 3;

init {
	_ = x;
	q!x;
	q?_;
	_ = x + 1;
	assert(x == 3)
}
