byte a[3] = { 0, 7, 0 };
active proctype C() {
	byte i;
	do
	:: i < 3 -> a[i]--; i++
	:: else -> break
	od;
	i = a[1];
	assert(i == 6)
}
