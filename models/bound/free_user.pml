/* A user who asks whenever he likes: nothing keeps the requests few. */
mtype = { ask, reply };
chan requests = [4] of { mtype };
chan replies = [4] of { mtype };

active proctype User() {
  do
  :: requests!ask
  :: replies?reply
  od
}

active proctype Server() {
  do
  :: requests?ask -> replies!reply
  od
}
