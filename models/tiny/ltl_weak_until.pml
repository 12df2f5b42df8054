/* W, V (release) and nested untils. */
bool p = true, q;

active proctype P() {
	do
	:: p = true
	:: q = true; break
	od;
	p = false
}

ltl weak   { p W q }
ltl strong_fails { p U q }
ltl rel    { q V p }
ltl nested { [] (q -> (q U (!p || [] p))) }
