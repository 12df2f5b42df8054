/*
 * A stream over a line that may break, written with "unless" (a teaching model
 * for escape sequences; link reset as in the X.25 family, 1976).
 *
 * The source sends numbered items over a lossy line. While the line is up, both
 * ends follow their normal course; when it goes down, each of them leaves that
 * course at once, wherever it stands, and goes through a reset. The line process
 * may drop an item silently: the sink notices a gap in the numbers, and asks for a
 * reset by itself through a nested "unless".
 *
 * Checked: the sink never accepts a gap or an old item; after a reset both ends
 * agree. That the stream makes progress must fail.
 *
 * Macros: MOD numbers (linear), SLOTS of the line (a few thousand states each),
 * BROKEN (the reset does not empty the line).
 */
#ifndef MOD
#define MOD 4
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

chan line = [SLOTS] of { byte };
bool up = true;			/* the line works */
bool source_ready = true, sink_ready = true;
bool gap;			/* the sink has seen a gap */
byte accepted;			/* last number accepted */

active proctype Source() {
	byte n = 1;
	do
	:: {
		do
		:: line!n -> n = (n + 1) % MOD
		od
	   } unless {
		atomic { !up && source_ready -> n = 1; source_ready = false };
		source_ready			/* repaired */
	   }
	od
}

active proctype Sink() {
	byte n, want = 1;
	do
	:: {
		{
			do
			:: atomic {
				line?n;
				if
				:: n == want ->
					accepted = n;
					want = (want + 1) % MOD
				:: else -> gap = true
				fi;
				n = 0
			   }
			od
		} unless {
			gap -> up = false; (false)
		}
	   } unless {
		atomic { !up && sink_ready -> want = 1; gap = false; accepted = 0; sink_ready = false };
		sink_ready
	   }
	od
}

active proctype Line() {
	do
	:: atomic { up && nempty(line) -> line?_ }	/* silent loss */
	:: up -> up = false			/* break */
	:: !up && !source_ready && !sink_ready ->
		atomic {			/* repair */
#ifndef BROKEN
			do
			:: nempty(line) -> line?_
			:: empty(line) -> break
			od;
#endif
			assert(empty(line) && accepted == 0);
			source_ready = true;
			sink_ready = true;
			up = true
		}
	od
}

ltl in_order      { [] (accepted == 2 -> (accepted == 2) W (accepted == 3 || accepted == 0)) }
ltl reset_clears  { [] (!source_ready && !sink_ready -> !gap) }
ltl repaired      { [] (!up -> <> up) }
ltl progress_fails { [] <> (accepted == 3) }
ltl no_gap_fails   { [] !gap }
