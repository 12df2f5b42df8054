/* len, full, empty, nfull, nempty. */
chan q = [2] of { byte };

init {
	assert(len(q) == 0 && empty(q) && nfull(q));
	q!1;
	assert(nempty(q) && nfull(q));
	q!2;
	assert(full(q) && len(q) == 2);
	full(q) -> q?_;
	nempty(q) -> q?_;
	empty(q)
}
