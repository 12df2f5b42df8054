/* Variables of inner blocks; sibling blocks may use the same name. */
byte total;

init {
	{ byte t = 2; total = total + t }
	{ byte t = 5; total = total + t }
	if
	:: true -> byte u = 1; total = total + u
	fi;
	assert(total == 8)
}
