chan c = [1] of { byte };
byte x;

active [2] proctype A() {
	do
	:: atomic {
			if
			:: c?x ->
				x = 0;
				c!1
			:: c!2;
				skip
			:: else ->
				x++
			fi;
			x == 0 || x == 1
		}
	:: x == 1 ->
		break
	od
}
