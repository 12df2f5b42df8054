/* eval(e) in a receive compares with the value of an expression. */
chan q = [2] of { byte, byte };
byte key = 3;

active proctype S() {
	if
	:: q!3,1
	:: q!4,1
	fi
}

active proctype R() {
	byte v;
	if
	:: q?eval(key),v -> assert(v == 1)
	:: q?eval(key+1),eval(v+1) -> v = 9
	fi
}
