chan c = [2] of { byte, byte };
byte x = 2, y;

init {
	c!4, 1;
	c!3, 9;
	if
	:: c?eval(x * 2), y
	:: c?eval(y), y
	fi;
	c?eval(x + y), _
}
