mtype = { a, b };

chan c = [2] of { mtype };

active proctype P() {
	c!a;
	c!b;
	c?a;
	c?b;
	if
	:: c!b
	:: c!a
	fi
}

trace {
	S: if
	:: c!a;
		goto T
	:: c!b;
		goto S
	fi;
	T: if
	:: c!b;
		goto S
	:: c!a;
		goto S
	fi
}
