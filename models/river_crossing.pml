/*
 * The wolf, the goat and the cabbage.
 * A puzzle ascribed to Alcuin of York, about 800.
 *
 * A farmer must take a wolf, a goat and a cabbage across a river in a boat
 * that holds himself and one of them.  Left alone, the wolf eats the goat,
 * and the goat eats the cabbage.
 *
 * The puzzle is solved by claiming that it has no solution: the error trail
 * is the answer.
 *
 * Checked
 *   ltl expect_fail_unsolvable   nobody ever gets all across: VIOLATED
 *   ltl expect_fail_stuck        the farmer stays on one bank for ever:
 *                                VIOLATED
 *   ltl nothing_eaten            the farmer only makes safe moves: holds
 *   ltl both_ways                the farmer changes banks for ever: holds
 *   -DSMALL_BOAT                 without room for a passenger there is no
 *                                solution: the first claim holds
 *
 * Macros
 *   (none)       ten states, as ten of the sixteen arrangements are safe
 *   SMALL_BOAT   the farmer always goes alone
 *   CARELESS     all moves are allowed: sixteen states, and the assertion
 *                that nothing is eaten is violated
 */

bit farmer, wolf, goat, cabbage;       /* the bank on which each is */

#define EATEN ((wolf == goat || goat == cabbage) && goat != farmer)
#define ALL_ACROSS (farmer && wolf && goat && cabbage)

/* May the farmer leave, taking along what is on his bank? */
#ifdef CARELESS
#define SAFE(w, g, c) true
#else
#define SAFE(w, g, c) !(((w) == (g) || (g) == (c)) && (g) == farmer)
#endif

inline cross(what)
{
	what = 1 - what;
	farmer = 1 - farmer;
	assert(!EATEN)
}

active proctype Farmer()
{
	do
#ifndef SMALL_BOAT
	:: d_step { wolf == farmer && SAFE(1 - wolf, goat, cabbage) ->
		cross(wolf) }
	:: d_step { goat == farmer && SAFE(wolf, 1 - goat, cabbage) ->
		cross(goat) }
	:: d_step { cabbage == farmer && SAFE(wolf, goat, 1 - cabbage) ->
		cross(cabbage) }
	:: d_step { SAFE(wolf, goat, cabbage) ->
		farmer = 1 - farmer;
		assert(!EATEN) }
#else
	:: d_step { true ->
		farmer = 1 - farmer }
#endif
	od
}

ltl expect_fail_unsolvable { [] !ALL_ACROSS }

ltl expect_fail_stuck { <> ([] farmer || [] !farmer) }

ltl nothing_eaten { [] !EATEN }

ltl both_ways { [] <> farmer && [] <> !farmer }
