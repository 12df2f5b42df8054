/* trace: the sends of channel q must follow this automaton. */
mtype = { req, ack };
chan q = [1] of { mtype };

trace {
end:	do
	:: q!req; q!ack
	od
}

active proctype Sender() { q!req; q!ack; q!req; q!ack }
active proctype Receiver() {
end:	do
	:: q?req
	:: q?ack
	od
}
