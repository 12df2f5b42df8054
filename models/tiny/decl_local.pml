/* local: a global promised to be used by one process only. */
local byte mine;
byte ours;

active proctype P() {
	mine = 1;
	ours = mine + ours
}

active proctype Q() {
	ours++
}
