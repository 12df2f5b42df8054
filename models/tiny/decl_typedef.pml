/* typedef: a record with fields of several types and an initial value. */
typedef Point {
	short x = -1, y;
	bool used
};
Point p;

init {
	assert(p.x == -1 && p.y == 0);
	p.x = 4;
	p.used = true;
	assert(p.x == 4 && p.used)
}
