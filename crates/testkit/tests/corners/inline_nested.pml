byte x;

inline a(p) { p++; b(p) }

inline b(q) { if :: q<3 -> q=q+1 :: q>1 -> c(q,1) fi }

inline c(r, s) { r=r-s; goto done; done: skip }

init {
	a(x);
	b(x)
}
