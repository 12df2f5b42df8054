/* unless inside unless: the outer escape wins. */
byte x;
bit a, b;

active proctype P() {
	{
		{ x = 1; x = 2; x = 3 } unless { a -> x = 10 }
	} unless { b -> x = 20 };
	assert(x == 3 || x == 10 || x == 20)
}

active proctype Q() { a = 1; b = 1 }
