/* timeout: true only when nothing else can move. */
chan q = [1] of { byte };
byte lost;

active proctype S() {
	if
	:: q!1
	:: skip		/* the message is lost */
	fi
}

active proctype R() {
	if
	:: q?_
	:: timeout -> lost = 1
	fi;
	assert(lost == 0 || empty(q))
}
