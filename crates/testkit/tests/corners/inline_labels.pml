byte x;

inline lp(n) { do :: x<n -> x++ :: else -> break od }

inline jump() { goto there; x=7; there: x=0 }

init {
	lp(2);
	jump();
	lp(1);
	jump()
}
