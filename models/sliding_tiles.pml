/*
 * The sliding-tile puzzle.
 * Noyes P. Chapman, 1874 (as the fifteen puzzle); that half of all
 * arrangements cannot be reached was proved by W. W. Johnson and
 * W. E. Story in 1879.
 *
 * ROWS times COLS squares, with one tile on each except for one: a tile
 * beside the hole can be pushed into it.
 *
 * Checked
 *   assertion           the hole is where we think it is
 *   ltl swap_unreachable
 *                       two tiles alone are never exchanged: holds (Johnson
 *                       and Story)
 *   ltl expect_fail_far_corner
 *                       the hole never comes to the last square: false
 *   ltl expect_fail_rotated
 *                       tile 1 never comes to square 0: false; the trail
 *                       says how
 *
 * Macros
 *   ROWS, COLS   the size (default 2 and 2), each at least 2 and together
 *                at most 3x3 or 2x4 for the ltl claims.  There are
 *                (ROWS * COLS)! / 2 arrangements: 12 for 2x2, 360 for 2x3,
 *                20160 for 2x4, 181440 for 3x3, 1814400 for 2x5.
 */

#ifndef ROWS
#define ROWS 2
#endif
#ifndef COLS
#define COLS 2
#endif

#define SQUARES (ROWS * COLS)

byte tile[SQUARES];    /* the tile on each square, 0 for the hole */
byte hole;             /* the square with the hole                */

/* push the tile at the given distance from the hole into the hole */
inline slide(distance)
{
	assert(tile[hole] == 0);
	tile[hole] = tile[hole + distance];
	hole = hole + distance;
	tile[hole] = 0
}

init {
	/* start with all tiles in order and the hole on the first square */
	d_step {
		do
		:: hole < SQUARES -> tile[hole] = hole; hole++
		:: else -> hole = 0; break
		od
	}

	do
	:: d_step { hole >= COLS          -> slide(-COLS) }
	:: d_step { hole < SQUARES - COLS -> slide(COLS) }
	:: d_step { hole % COLS > 0       -> slide(-1) }
	:: d_step { hole % COLS < COLS-1  -> slide(1) }
	od
}

/* tiles 1 and 2 exchanged, and all others in their places */
#define SWAPPED (hole == 0 && tile[1] == 2 && tile[2] == 1 && OTHERS)

#if ROWS == 2 && COLS == 2
#define OTHERS (tile[3] == 3)
#elif ROWS == 2 && COLS == 3 || ROWS == 3 && COLS == 2
#define OTHERS (tile[3] == 3 && tile[4] == 4)           /* and so the last */
#else
#define OTHERS (tile[3] == 3 && tile[4] == 4 && tile[5] == 5 && \
	tile[6] == 6 && tile[7] == 7)
#endif

ltl swap_unreachable { [] !SWAPPED }

ltl expect_fail_far_corner { [] (hole != SQUARES-1) }

ltl expect_fail_rotated { [] (tile[0] != 1) }
