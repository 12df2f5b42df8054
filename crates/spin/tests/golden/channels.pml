chan q = [3] of { byte, byte };
chan carry = [1] of { chan };
byte seen;
active proctype maker() {
	q!!3,1; q!!1,2; q!!2,3;
	carry!q
}
active proctype taker() {
	chan via; byte v;
	carry?via;
	if
	:: via??[2,v] -> via??2,v
	:: via?<v,_> -> skip
	fi;
	via?eval(1),v;
	seen = v;
	via?<v,seen>;
	assert(len(via) == 2 && nempty(q))
}
