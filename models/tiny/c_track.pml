/* C data outside the model whose value belongs to the state. */
c_decl { int counter; }
c_track "&counter" "sizeof(int)"
byte turns;

active proctype P() {
	do
	:: turns < 3 -> c_code { counter += 2; }; turns++
	:: else -> break
	od;
	assert(c_expr { counter == 6 })
}
