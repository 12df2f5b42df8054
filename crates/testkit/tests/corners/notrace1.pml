chan c = [2] of { byte };

active proctype A() {
	c!1;
	c!2;
	if
	:: c!3
	:: c?_
	fi
}

notrace {
	c!1;
	c!2;
	c!3
}
