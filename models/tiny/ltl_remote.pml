/* Remote references inside an ltl formula. */
byte x;

active proctype P() {
	byte mine;
	do
	:: mine < 2 -> mine++
	:: mine == 2 -> break
	od;
done:	x = 1
}

ltl arrives { <> P[0]@done }
ltl value   { [] (P[0]@done -> P[0]:mine == 2) }
ltl early_fails { [] (P:mine < 2) }
