bool lock; byte inside;
active [3] proctype P() {
	do
	:: atomic { !lock -> lock = true };
		inside++;
		assert(inside == 1);
		inside--;
		lock = false
	od
}
