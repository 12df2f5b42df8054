/* A record as a message. */
typedef Packet { byte seq; bool last; byte body[2] };
chan wire = [1] of { Packet };

active proctype S() {
	Packet p;
	p.seq = 3; p.last = true; p.body[1] = 9;
	wire!p
}

active proctype R() {
	Packet p;
	wire?p;
	assert(p.seq == 3 && p.last && p.body[0] == 0 && p.body[1] == 9)
}
