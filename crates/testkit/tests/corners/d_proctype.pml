byte x;

D_proctype P() {
	do
	:: x < 3 ->
		x++
	:: x >= 3 ->
		break
	od;
	if
	:: x == 3 ->
		skip
	:: x > 2 ->
		x = 0
	fi
}

init {
	run P()
}
