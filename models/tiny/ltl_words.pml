/* ltl formulas with words: always eventually until implies equivalent weakuntil release. */
mtype = { red, green };
mtype light = red;
bool asked;

active proctype Light() {
	do
	:: asked -> light = green; asked = false; light = red
	od
}

active proctype User() {
	do
	:: !asked -> asked = true
	od
}

ltl answer { always (asked implies (eventually (light == green))) }
ltl first  { (light == red) until asked }
ltl weak   { (light == red) weakuntil asked }
ltl rel    { asked release (light == red) }
ltl eq     { always ((light == red) equivalent !(light == green)) }
ltl green_for_ever_fails { eventually always (light == green) }
