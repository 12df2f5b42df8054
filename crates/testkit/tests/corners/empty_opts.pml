byte x;

active proctype A() {
	do
	:: x < 2 ->
		x++
	:: x == 1
	:: else ->
		break
	od;
	if
	:: true
	:: x == 2
	fi;
	{
		skip
	};
	{
		{
			x = 1
		}
	};
	skip
}
