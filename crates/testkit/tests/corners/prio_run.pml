byte x;

proctype P(byte n) {
	x = x * 2 + n
}

init priority 5 {
	atomic {
		run P(1) priority 2;
		run P(0) priority 3
	};
	set_priority(_pid, 1);
	x++;
	x++
}
