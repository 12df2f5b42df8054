byte n;
active proctype count() {
	do
	:: n < 4 -> n++
	:: n == 4 -> break
	od
}
never {
	do
	:: n < 3
	:: n >= 3 -> break
	od
}
