/* run ... priority n */
byte x;

proctype Set(byte v) { x = v }

init priority 9 {
	run Set(1) priority 2;
	run Set(2) priority 3;
	set_priority(_pid, 1);
	assert(x == 1)
}
