int i = 1;

init {
	i = i << 30;
	i = i * 2;
	assert(i < 0);
	i = i >> 31;
	assert(i == -1);
	i = i << 4;
	assert(i == -16);
	i = -16 % 5;
	assert(i == -1);
	i = 7 % -3;
	assert(i == 1)
}
