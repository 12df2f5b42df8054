byte b = 250;
short s = 32760;
int i = 2147483640;
unsigned u : 3 = 5;
unsigned w : 12 = 4090;
bit t;

init {
	do
	:: b++;
		s = s + 3;
		i = i + 3;
		u++;
		w = w + 3;
		t++;
		if
		:: b == 2 ->
			break
		:: else
		fi
	od;
	assert(s == -32752 && w == 18)
}
