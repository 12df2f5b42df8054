/* Comments: block comments /* do not nest, // line comments, and none inside strings. */
byte a;		// a line comment, with "quotes" and /* an opener
init {
	a = 1 /* between tokens */ + /**/ 2;
	printf("not /* a */ comment // here\n");
	assert(a == 3)	/* over
	several
	lines */
}
