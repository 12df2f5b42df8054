/* pc_value(p): the location of process p as a number. */
byte x;

active proctype A() {
	do
	:: x < 2 -> x++
	:: else -> break
	od
}

never {
	do
	:: pc_value(0) >= 0
	od
}
