/* An atomic that blocks inside lets the others move. */
byte x;
bool go;

active proctype A() {
	atomic { x = 1; go; assert(x == 2); x = 3 }
}

active proctype B() {
	x == 1 -> x = 2; go = true
}
