byte level, alarm;
chan stop = [1] of { bit };

active proctype worker() {
	byte rounds;
	{
		do
		:: rounds < 3 -> rounds++; level = rounds
		:: rounds == 3 -> break
		od;
		level = 9
	} unless {
		stop?1 -> alarm = rounds + 1
	};
	assert(alarm != 3)
}

active proctype operator() {
	level > 0;
	stop!1
}
