/* A macro with a variable number of arguments. */
#define LOG(fmt, ...)   printf(fmt, __VA_ARGS__)
#define SEND(q, ...)    q!__VA_ARGS__
chan q = [2] of { byte, byte };

init {
	byte a, b;
	SEND(q, 1, 2);
	q?a,b;
	LOG("%d %d\n", a, b);
	assert(a == 1 && b == 2)
}
