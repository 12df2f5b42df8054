/* select (i : a .. b) chooses any value of the range. */
byte i, n;

active proctype P() {
	select (i : 2 .. 5);
	n = i * i;
	assert(n >= 4 && n <= 25)
}
