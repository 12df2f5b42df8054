/* Arrays with a list of initial values, global and local (SPIN takes no minus sign in the list). */
int a[3] = { 1, 2, 3 };
byte short_list[3] = { 9, 8, 7 };

active proctype P() {
	byte b[2] = { 5, 6 };
	assert(a[0] + a[1] + a[2] == 6);
	assert(short_list[0] == 9 && short_list[2] == 7);
	assert(b[0] * b[1] == 30)
}
