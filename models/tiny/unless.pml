/* { body } unless { escape }: the escape is tried before every step of the body. */
byte x;
bool stop;

active proctype P() {
	{
		do
		:: x < 4 -> x++
		od
	} unless {
		stop -> x = 100
	};
	assert(x == 100)
}

active proctype Q() { stop = true }
