/* The ## operator joins two tokens into one name. */
#define FLAG(who)      flag_ ## who
#define SETTER(who) \
	active proctype set_ ## who() { FLAG(who) = true }
bool FLAG(left), FLAG(right);

SETTER(left)
SETTER(right)

active proctype Check() {
	flag_left && flag_right;
	assert(FLAG(left) == FLAG(right))
}
