/*
 * Opening a connection with a three-way handshake (R. Tomlinson, "Selecting
 * sequence numbers", 1975; TCP: V. Cerf and R. Kahn, 1974, RFC 793, 1981).
 *
 * The client sends SYN with its initial number, the server answers SYN+ACK with
 * its own number and the client's, the client answers ACK. The network may hold
 * an old SYN of an earlier connection, may lose messages, and both sides may
 * repeat theirs. A client that gets a wrong acknowledgement sends RST.
 *
 * Checked: when the server is established, the client has chosen that number in
 * this life (no half-open connection to a ghost), and both agree on both numbers.
 * With -DTWO_WAY the server is established at once when a SYN comes: then an old
 * duplicate opens a connection nobody wants. That a connection is always made
 * must fail (losses).
 *
 * Macros: OLD old duplicates in the network (2 to 3 times the states each),
 * NUMBERS of initial sequence numbers, TRIES repetitions, TWO_WAY.
 */
#ifndef OLD
#define OLD 1
#endif
#ifndef NUMBERS
#define NUMBERS 2
#endif
#ifndef TRIES
#define TRIES 1
#endif

mtype = { SYN, SYN_ACK, ACK, RST };
mtype:state = { CLOSED, LISTEN, SYN_SENT, SYN_RECEIVED, ESTABLISHED };

chan to_server = [OLD + 2] of { mtype, byte, byte };	/* kind, number, acknowledged number */
chan to_client = [OLD + 2] of { mtype, byte, byte };

mtype:state client = CLOSED, server = LISTEN;
byte client_number, server_number;	/* chosen initial numbers, from 1; 0: none */
byte client_knows, server_knows;	/* the other side's number */
bool ghost;				/* established with a number not chosen now */

#define STALE   (NUMBERS + 1)		/* number of the old duplicate */

active proctype Network() {		/* old duplicates arrive, messages get lost */
	byte i;
	for (i : 1 .. OLD) { to_server!SYN(STALE, 0) }
	i = 0;
end:	do
	:: to_server?_,_,_
	:: to_client?_,_,_
	od
}

active proctype Client() {
	byte n, a, tries;

	select (n : 1 .. NUMBERS);
	atomic { client_number = n; n = 0; client = SYN_SENT };
	to_server!SYN(client_number, 0);
end:	do
	:: to_client?SYN_ACK(n, a) ->
		if
		:: a == client_number ->
			atomic { client_knows = n; client = ESTABLISHED };
			to_server!ACK(client_number, n)
		:: else ->
			to_server!RST(a, 0)
		fi;
		d_step { n = 0; a = 0 }
	:: client == SYN_SENT && tries < TRIES ->
		tries++;
		to_server!SYN(client_number, 0)
	od
}

active proctype Server() {
	byte n, a, tries;

end:	do
	:: server == LISTEN ->
end_listen:	if
		:: to_server?SYN(n, _) ->
			atomic {
				server_knows = n;
				server_number = 1;
#ifdef TWO_WAY
				server = ESTABLISHED;
				ghost = (server_knows != client_number);
				assert(!ghost);
#else
				server = SYN_RECEIVED;
#endif
				n = 0;
				tries = 0
			};
			to_client!SYN_ACK(server_number, server_knows)
		:: to_server?ACK(_, _)
		:: to_server?RST(_, _)
		fi
	:: server == SYN_RECEIVED ->
end_received:	if
		:: to_server?ACK(n, a) ->
			if
			:: n == server_knows && a == server_number ->
				atomic {
					server = ESTABLISHED;
					ghost = (server_knows != client_number);
					assert(!ghost && client == ESTABLISHED && client_knows == server_number)
				}
			:: else
			fi;
			d_step { n = 0; a = 0 }
		:: to_server?RST(eval(server_knows), _) ->
			atomic { server = LISTEN; server_knows = 0; server_number = 0 }
		:: to_server?RST(n, _) -> n = 0
		:: to_server?SYN(_, _)
		:: tries < TRIES ->
			tries++;
			to_client!SYN_ACK(server_number, server_knows)
		fi
	:: server == ESTABLISHED ->
end_open:	to_server?_,_,_
	od
}

ltl no_ghost          { [] !ghost }
ltl agreement         { [] ((client == ESTABLISHED && server == ESTABLISHED) -> (client_knows == server_number && server_knows == client_number)) }
ltl server_after_client { (server != ESTABLISHED) W (client == ESTABLISHED) }
ltl connects_fails    { <> (server == ESTABLISHED) }
ltl both_or_none_fails { [] (client == ESTABLISHED -> <> (server == ESTABLISHED)) }
ltl never_connects_fails { [] (client != ESTABLISHED || server != ESTABLISHED) }
