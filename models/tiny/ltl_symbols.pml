/* ltl formulas with symbols: [] <> ! && || -> <-> U. */
byte x;

active proctype P() {
	do
	:: x < 3 -> x++
	:: x == 3 -> x = 0
	od
}

ltl always { [] (x <= 3) }
ltl again  { [] <> (x == 3) }
ltl step   { [] ((x == 1) -> <> (x == 2)) }
ltl until  { (x < 2) U (x == 2) }
ltl same   { [] ((x == 0) <-> !(x > 0)) && (<> (x == 1) || [] (x == 0)) }
ltl stuck_fails { <> [] (x == 0) }
