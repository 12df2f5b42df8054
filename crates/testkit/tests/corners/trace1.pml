chan c = [2] of { byte, byte };
chan d = [1] of { byte };

active proctype A() {
	do
	:: c!1, 2
	:: c?_, _
	:: d!1
	:: d?_
	od
}

trace {
	do
	:: c!1, 2;
		if
		:: c?1, _
		:: c!1, 2;
			c?1, _;
			c?1, _
		fi
	od
}
