/* _ in a receive takes any value and keeps nothing. */
chan q = [2] of { byte, byte, byte };

init {
	byte mid;
	q!1,2,3; q!4,5,6;
	q?_,mid,_; assert(mid == 2);
	q?_(_,_);
	_ = mid;
	assert(mid == 2 && len(q) == 0)
}
