byte x, l;

active [2] proctype P() {
	x++;
	l = _last;
	x = x + _last
}

active proctype Q() {
	_last == 1;
	x = 9
}
