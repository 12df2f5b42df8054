/* An inline without parameters, called in options and atomics. */
byte n;
bit lock;

inline acquire() { atomic { lock == 0 -> lock = 1 } }
inline release() { lock = 0 }

active [2] proctype P() {
	acquire();
	n++;
	assert(n == 1);
	n--;
	release()
}
