/* get_priority(p), set_priority(p, n) and _priority. */
byte x;

active proctype A() priority 3 {
	x = get_priority(_pid);
	assert(x == 3 && _priority == 3);
	set_priority(_pid, 1);
	assert(x == 3 || x == 9)
}

active proctype B() priority 2 {
	x = 9
}
