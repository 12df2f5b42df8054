byte x;

init {
	byte y = 1;
	{
		byte z = y + 1;
		x = z;
		{
			byte w = z;
			x = w
		}
	};
	{
		byte z;
		assert(z == 0);
		z = 5;
		x = z
	};
	do
	:: byte v = x;
		v++;
		x = v;
		if
		:: v > 8 ->
			break
		:: else
		fi
	od
}
