/* do: chosen again and again until break. */
byte up, down = 3;

active proctype P() {
	do
	:: up < 3 -> up++
	:: down > 0 -> down--
	:: up == 3 && down == 0 -> break
	od;
	assert(up == 3 && down == 0)
}
