/* C variables placed in the state vector. */
c_state "short level" "Global" "4"
c_state "int mine" "Local P"
int r;

active proctype P() {
	c_code { now.level++; PP->mine = now.level; now.r = PP->mine; };
	assert(r == 5)
}
