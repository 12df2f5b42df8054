/* STDIN: a predeclared channel of the simulator; the model must declare it. */
chan STDIN;
byte n;

active proctype P() {
	int c;
	do
	:: n < 2 -> n++
	:: n == 2 -> break
	:: n > 2 -> STDIN?c -> printf("%c", c)	/* never reached here */
	od
}
