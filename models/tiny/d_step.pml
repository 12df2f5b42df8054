/* d_step: one indivisible deterministic step. */
byte a[3] = { 3, 1, 2 };
byte i, j, t;

active proctype Sort() {
	d_step {
		do
		:: i < 2 ->
			j = i + 1;
			do
			:: j < 3 && a[j] < a[i] -> t = a[i]; a[i] = a[j]; a[j] = t; j++
			:: j < 3 && a[j] >= a[i] -> j++
			:: else -> break
			od;
			i++
		:: else -> break
		od;
		t = 0
	};
	assert(a[0] == 1 && a[1] == 2 && a[2] == 3)
}
