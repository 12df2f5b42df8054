mtype = { req, ack, nak };
chan q = [0] of { mtype, byte };
chan r = [0] of { mtype };
byte served;

active proctype client() {
	byte k;
	do
	:: k < 2 ->
		q!req,k;
		if
		:: r?ack -> k++
		:: r?nak -> break
		fi
	:: else -> break
	od;
	q!nak(k)
}

active proctype server() {
	byte n;
	q?req(n);
	served = n + 1;
	r!ack;
	q?req,n;
	r!nak;
	q?ack,n
}
