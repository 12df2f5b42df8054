/* D_proctype: the verifier checks that the process is deterministic. */
byte x;

active D_proctype Good() {
	do
	:: x < 2 -> x++
	:: x >= 2 -> break
	od
}

active D_proctype Bad() {
	if
	:: x >= 0 -> skip
	:: x <= 2 -> skip
	fi
}
