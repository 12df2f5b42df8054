/* P[e]@label: is process e at that label? */
byte x;

active [2] proctype P() {
	x++;
here:	x--
}

active proctype Watch() {
	P[0]@here && P[1]@here -> assert(x == 2)
}
