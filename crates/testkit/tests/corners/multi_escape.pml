chan c = [1] of { byte };
byte x;

active proctype A() {
	do
	:: {
			x++;
			x++;
			x--
		} unless {
			if
			:: c?1 ->
				x = 0
			:: c?2 ->
				break
			:: x == 3 ->
				x = 1
			fi
		}
	od
}

active proctype B() {
	c!1;
	c!2
}
