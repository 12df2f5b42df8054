/* np_ : true when no process is at a progress label (only in claims). */
byte n;

active proctype P() {
	do
	:: n = 1 - n
	:: n == 1 ->
progress_p:	n = 0
	od
}

never {
	do
	:: true
	:: np_ -> break
	od;
accept_np:
	do
	:: np_
	od
}
