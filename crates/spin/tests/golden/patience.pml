byte clock;
chan c = [1] of { byte };
active proctype waiter() {
	byte v;
	do
	:: c?v -> break
	:: timeout -> clock++; if :: clock == 2 -> c!7 :: else fi
	od;
	assert(v != 7)
}
