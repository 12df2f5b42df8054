bool busy;
active proctype user() {
	do
	:: busy = true; busy = false
	:: true -> skip; skip
	od
}
never {
T0:
	do
	:: true
	:: !busy -> goto accept
	od;
accept:
	do
	:: !busy
	od
}
