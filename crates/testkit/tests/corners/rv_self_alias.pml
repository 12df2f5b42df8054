chan c = [0] of { byte };
chan d = [0] of { byte };
byte x;

init {
	chan e;
	e = c;
	atomic {
		run A(e);
		run B(e, d)
	}
}

proctype A(chan p) {
	if
	:: p!1
	:: c?x
	fi
}

proctype B(chan p, q) {
	if
	:: p!2
	:: p?x
	:: timeout ->
		q = p
	fi
}
