/* for (m in channel) visits every message once and leaves the channel as it was. */
typedef Item { byte key; byte val };
chan q = [3] of { Item };
Item m;
byte sum;

init {
	m.key = 1; m.val = 5; q!m;
	m.key = 2; m.val = 6; q!m;
	for (m in q) { sum = sum + m.key * m.val }
	assert(sum == 17 && len(q) == 2)
}
