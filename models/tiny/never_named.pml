/* A never claim with a name; its language is not empty, so it is violated. */
bool busy;

active [2] proctype P() {
	do
	:: !busy -> busy = true
	:: busy -> busy = false
	od
}

never always_free_again {	/* []<> busy */
T0:	if
	:: busy -> goto accept_seen
	:: true -> goto T0
	fi;
accept_seen:
	if
	:: true -> goto T0
	fi
}
