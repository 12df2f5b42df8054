chan c = [1] of { byte };
active proctype server() {
	byte v;
end:	do
	:: c?v -> skip
	od
}
active proctype client() {
	c!1; c!2
}
