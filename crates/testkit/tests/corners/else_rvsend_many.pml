chan c = [0] of { byte };
byte x;

active proctype A() {
	do
	:: c!1
	:: c!2
	:: else ->
		x++;
		if
		:: x > 3 ->
			break
		:: else
		fi
	od
}

active [2] proctype B() {
	byte y;
	do
	:: c?y
	:: c?1 ->
		break
	od
}
