chan c = [0] of { byte };
bit t;
byte y;

active proctype A() provided (t == 1) {
	c?y;
	y = y + 1
}

active proctype B() {
	if
	:: t = 1
	:: skip
	fi;
	if
	:: c!3
	:: else
	fi;
	t = 1 - t
}
