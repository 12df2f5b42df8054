/* A never claim that reaches its closing brace is an error too: a finite bad run. */
byte x;

active proctype P() {
	x = 1; x = 2; x = 3
}

never {
	do
	:: x != 2
	:: x == 2 -> break
	od
}
