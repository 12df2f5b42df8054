/* progress labels: infinite runs must pass one again and again. */
byte work, idle;

active proctype P() {
	do
	:: work = (work + 1) % 3;
progress_made:	skip
	:: idle = 1 - idle		/* may go on for ever: no progress */
	od
}
