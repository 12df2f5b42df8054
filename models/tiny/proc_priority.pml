/* priority: only processes of the highest priority that can move do so. */
byte x;

active proctype Low() priority 1 {
	assert(x == 2);
	x = 3
}

active proctype High() priority 5 {
	x = 1;
	x = 2
}
