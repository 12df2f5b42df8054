/* P@label and P:v without a pid, when there is one P. */
bool go;

active proctype P() {
	byte k = 2;
	k++;
wait:	go
}

active proctype Watch() {
	P@wait -> assert(P:k == 3);
	go = true
}
