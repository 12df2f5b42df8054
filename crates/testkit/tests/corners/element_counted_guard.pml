byte a[2];
active proctype C() {
	byte i = 1;
	do
	:: a[i] < 3 -> a[i]++
	:: else -> break
	od;
	assert(a[1] == 2)
}
