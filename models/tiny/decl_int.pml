/* int holds 32 bits with sign. */
int big = 2147483647;
int neg = -1;

init {
	big = big / 2;
	assert(big == 1073741823);
	neg = neg * 100000;
	assert(neg == -100000)
}
