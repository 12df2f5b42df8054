/* Clients that ask and wait for their answer, and servers that take requests in order; whichever server comes first takes
 * the next one. With several servers a client can wait for ever, unless the servers are treated fairly.
 */

#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef SERVERS
#define SERVERS 1
#endif

chan requests = [CLIENTS] of { byte };
chan answers = [SERVERS] of { byte };

active [CLIENTS] proctype client() {
served:
    true;
asks:
    true;
    requests!_pid;
waits:
    answers?eval(_pid);
    goto served
}

active [SERVERS] proctype server() {
    byte who;
idle:
    requests?who;
    true;
    true;
    answers!who;
    goto idle
}

ltl answered { [] (client[0]@waits -> <> client[0]@served) }
