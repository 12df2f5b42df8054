/* A sender with a window: it has at most WINDOW messages without an answer; what the receiver takes it answers. */
#define WINDOW 3
mtype = { data, ack };
chan line = [8] of { mtype, byte };
chan back = [8] of { mtype };

active proctype Sender() {
  byte open, n;
  do
  :: open < WINDOW -> line!data, n; open++; n = (n + 1) % 8
  :: back?ack -> open--
  od
}

active proctype Receiver() {
  byte n;
  do
  :: line?data, n -> back!ack
  od
}
