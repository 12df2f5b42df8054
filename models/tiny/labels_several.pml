/* Several labels on one statement. */
byte n;

active proctype P() {
start:
accept_here:
progress_here:
end_here:
	do
	:: n < 2 -> n++
	:: n == 2 -> goto last
	od;
last:
final:	n = 0
}
