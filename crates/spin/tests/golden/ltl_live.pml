bool want, got;
active proctype asker() {
	do
	:: want = true; got; want = false; got = false
	od
}
active proctype giver() {
	do
	:: want && !got -> got = true
	:: want -> skip
	od
}
ltl answered { [] (want -> <> got) }
