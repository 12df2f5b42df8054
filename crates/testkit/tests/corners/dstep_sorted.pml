chan c = [3] of { byte };
byte x;

init {
	do
	:: d_step {
			nfull(c);
			x = (x * 5 + 3) % 7;
			c!!x
		}
	:: d_step {
			c??[3];
			c??3;
			x = 0
		}
	:: d_step {
			full(c);
			c?x;
			c?x;
			c?x
		}
	od
}
