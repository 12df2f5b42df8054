/* bool, with the literals true and false. */
bool p = true, q;

init {
	assert(p && !q);
	q = p;
	p = false;
	assert(q == true && p == false)
}
