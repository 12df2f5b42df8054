int i;
byte b_1;

init {
	select (i : -1 .. 2);
	select (b_1 : (0) .. 2);
	select (i : (0) .. 40)
}
