byte x, y;

inline f(a, b) { y=a+b; return y*2 }

inline g(n) { byte l=n; if :: l>3 -> x=l :: else -> x=0 fi }

init {
	x = f(1, 2);
	assert(x == 6);
	g(x+1);
	g(2);
	x = f(x, y);
	d_step {
		x = f(1, 1);
		y = 0
	}
}
