/*
 * A server that hires an agent for each client; channels travel in messages
 * (the pattern of concurrent servers since the 1970s; mobile channels as in
 * R. Milner's pi calculus, 1989).
 *
 * A client sends its private channel to the server's desk. The server refuses
 * if all POOL agents are out; otherwise it takes a free line, starts an agent
 * on it and hands the line to the client. Client and agent talk on the line;
 * at the end the agent gives the line back and dies.
 *
 * Checked: at most POOL agents; answers belong to questions and to the client who
 * asked; somebody is served (with weak fairness). That no client is ever refused must fail, and so
 * must the claim that every client is served.
 *
 * Macros: CLIENTS (about 20 times the states per client), POOL lines, ROUNDS questions
 * per session, BROKEN (a client says goodbye twice; the second one may end the
 * session of the next client on that line).
 */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef POOL
#define POOL 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

mtype = { request, grant, refuse, question, answer, goodbye };

chan desk = [1] of { mtype, chan };			/* clients to server */
chan back = [POOL] of { chan };				/* agents to server */
chan line[POOL] = [1] of { mtype, byte, byte };		/* kind, client, number */

byte agents;			/* agents at work */
byte served, refused;

proctype Agent(chan talk) {
	byte who, n;
	agents++;
	assert(agents <= POOL);
	do
	:: talk?question(who, n) ->
		talk!answer(who, n + 1)
	:: talk?goodbye(_, _) -> break
	od;
	agents--;
	back!talk
}

active proctype Server() {
	chan free = [POOL] of { chan };
	chan client, l;
	byte i;

	atomic {
		for (i : 0 .. POOL - 1) { free!line[i] }
		i = 0
	};
end:	do
	:: desk?request(client) ->
		if
		:: nempty(free) ->
			atomic { free?l; run Agent(l) };
			client!grant(l)
		:: empty(free) ->
			client!refuse(0)
		fi
	:: back?l -> free!l
	od
}

active [CLIENTS] proctype Client() {
	chan mine = [0] of { mtype, chan };
	chan talk;
	byte n, r;
	byte me = _pid;			/* the server is process 0 */

again:	desk!request(mine);
	if
	:: mine?grant(talk) ->
		for (n : 1 .. ROUNDS) {
			talk!question(me, n);
			talk?answer(eval(me), r);
			assert(r == n + 1)
		}
		talk!goodbye(0, 0);
#ifdef BROKEN
		talk!goodbye(0, 0);
#endif
		served++
	:: mine?refuse(_) ->
		if
		:: refused < 2 -> refused++	/* count no further */
		:: else
		fi;
		goto again
	fi
}

ltl pool_kept         { [] (agents <= POOL) }
ltl some_client_served { <> (served > 0) }
ltl refusals_counted  { [] (refused <= 2) }
ltl nobody_refused_fails { [] (refused == 0) }
ltl all_served_fails  { <> (served == CLIENTS) }
