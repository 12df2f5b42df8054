byte x, y;

active proctype A() {
	do
	:: d_step {
			if
			:: y < 2 ->
				y++
			:: y < 3 ->
				x = 5
			:: else ->
				x = 6
			fi;
			do
			:: y > 1 ->
				y--
			:: else ->
				break
			od
		}
	:: x == 5 ->
		break
	:: y = 2;
		x = 5
	od
}
