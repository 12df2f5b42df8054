/* trace: a send order that the automaton does not allow. */
mtype = { req, ack };
chan q = [2] of { mtype };

trace {
	do
	:: q!req; q!ack
	od
}

active proctype Sender() {
	q!req;
	if
	:: q!ack
	:: q!req
	fi
}
