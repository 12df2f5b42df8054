/* Without an end label a waiting server is an invalid end state. */
chan q = [0] of { byte };

active proctype Server() {
	byte v;
	do
	:: q?v -> assert(v == 1)
	od
}

active proctype Client() { q!1; q!1 }
