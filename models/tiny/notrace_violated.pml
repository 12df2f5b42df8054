/* notrace: two openings in a row are possible here. */
mtype = { open, shut };
chan door = [1] of { mtype };

notrace {
	door!open;
	door!open
}

active proctype A() { door!open }
active proctype C() { door!open }
active proctype B() {
	do
	:: door?open
	:: timeout -> break
	od
}
