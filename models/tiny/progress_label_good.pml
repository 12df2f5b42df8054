/* Every loop passes the progress label. */
byte work;

active proctype P() {
	do
	:: work < 2 -> work++
	:: work == 2 ->
progress_done:	work = 0
	od
}
