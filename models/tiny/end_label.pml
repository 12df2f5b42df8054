/* end labels: places where a process may rest for ever. */
chan q = [0] of { byte };

active proctype Server() {
	byte v;
end_idle:
	do
	:: q?v -> assert(v == 1)
	od
}

active proctype Client() { q!1; q!1 }
