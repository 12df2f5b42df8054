byte x;

active proctype A() {
	do
	:: x++;
		{
			x == 5;
			x = 1
		} unless {
			x == 2;
			break
		}
	:: x < 4 ->
		x++
	od;
	x = 0
}
