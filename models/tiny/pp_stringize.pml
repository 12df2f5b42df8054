/* The # operator turns a macro argument into a string literal (Promela joins no strings). */
#define SHOW(e)    printf(#e); printf(" is %d\n", e)
#define CHECK(e)   SHOW(e); assert(e)
byte a = 2, b = 3;

init {
	SHOW(a + b);
	CHECK(a < b)
}
