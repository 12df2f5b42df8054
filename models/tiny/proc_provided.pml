/* provided: a process moves only while its condition is true. */
byte turn;
byte log;

active proctype A() provided (turn == 0) {
	log = 1;
	turn = 1
}

active proctype B() provided (turn == 1) {
	assert(log == 1);
	log = 2;
	turn = 0
}
