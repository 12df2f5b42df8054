/* Clients ask a server by a channel of their own; each waits for its answer. */
chan request = [4] of { chan };

proctype Client() {
  chan answer = [1] of { bit };
  bit got;
  do
  :: request!answer; answer?got
  od
}

active proctype Server() {
  chan to;
  do
  :: request?to -> to!1
  od
}

init { atomic { run Client(); run Client(); run Client() } }
