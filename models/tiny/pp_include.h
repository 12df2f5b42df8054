/* Included by pp_include.pml. */
#define LIMIT 4
byte x;
inline double(v) { v = v + v }
