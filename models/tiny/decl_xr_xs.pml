/* xr and xs: exclusive receive and send access to a channel. */
chan q = [2] of { byte };

active proctype Producer() {
	xs q;
	q!1; q!2
}

active proctype Consumer() {
	xr q;
	byte v;
	q?v; assert(v == 1);
	q?v; assert(v == 2)
}
