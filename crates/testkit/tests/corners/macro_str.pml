#define SAY(s) printf("s is %s\n", s)
#define INC(v) v = v + 1
#define STR "a;b{c}"
byte x; init { printf(STR); INC(x); printf("x=%d\n", x); assert(x == 1) }
