/* Leader election by waves that put out one another (the echo algorithm with extinction; Tel, "Introduction to
 * Distributed Algorithms", section 7.3), on a triangle of nodes, again and again.
 *
 * Every node starts a wave under its own number. A node joins the wave that ranks first among those it has met and leaves
 * the others; it sends the wave on, and back to where it came from as soon as it has heard it from both sides. Only the
 * first wave comes back whole to the node that started it, which then tells everybody. From round to round the ranks
 * rotate, so that the nodes win in turn.
 *
 * What a node does with its own variables alone is part of the step before it, and values that are not needed any more
 * are forgotten, so that there are as many states as in the literature (Couvreur, Duret-Lutz and Poitrenaud, SPIN 2005).
 */

#define NOBODY 3
#ifndef ROOM
#define ROOM 10
#endif

#define nobody_leads (leaders == 0)
#define leads(n)     (leaders == 1 && leader == n)

mtype = { wave, won };

/* One channel for each direction of each side of the triangle. */
chan from_0_to_1 = [ROOM] of { mtype, byte };
chan from_0_to_2 = [ROOM] of { mtype, byte };
chan from_1_to_0 = [ROOM] of { mtype, byte };
chan from_1_to_2 = [ROOM] of { mtype, byte };
chan from_2_to_0 = [ROOM] of { mtype, byte };
chan from_2_to_1 = [ROOM] of { mtype, byte };

chan begin_0 = [0] of { mtype, byte };
chan begin_1 = [0] of { mtype, byte };
chan begin_2 = [0] of { mtype, byte };

byte leaders, finished, leader;

inline hear_winner() {
    if
    :: winners == 0 && heard != me ->
        to_left!won(heard);
        to_right!won(heard);
        d_step { winners++; winner = heard }
    :: else ->
        d_step { winners++; winner = heard }
    fi
}

inline hear_wave(sender, onward) {
    if
    :: d_step { (heard + shift) % 3 < (mine + shift) % 3 -> mine = heard; echoes = 0; parent = sender }
        onward!wave(heard)
    :: else -> skip
    fi;
    if
    :: d_step { heard == mine -> heard = 0; echoes++ }
        if
        :: echoes == 2 && mine == me -> to_left!won(me); to_right!won(me)
        :: echoes == 2 && mine != me && parent == left -> to_left!wave(mine)
        :: echoes == 2 && mine != me && parent == right -> to_right!wave(mine)
        :: else -> skip
        fi
    :: else -> skip
    fi
}

proctype node(chan begin; byte left; chan to_left, from_left; byte right; chan to_right, from_right) {
    byte me = 3 - left - right;
    byte mine, echoes, parent, winners, winner, heard, shift;
again:
    begin?wave(shift);
    d_step {
        mine = me; echoes = 0; winners = 0;
        parent = NOBODY; winner = NOBODY; heard = 0
    }
    to_left!wave(me);
    to_right!wave(me);
    do
    :: d_step { winners == 2 -> winners = 0 } break
    :: from_left?won(heard) -> hear_winner()
    :: from_right?won(heard) -> hear_winner()
    :: from_left?wave(heard) -> hear_wave(left, to_right)
    :: from_right?wave(heard) -> hear_wave(right, to_left)
    od;
    if
    :: d_step { winner == me -> winner = 0 }
        leader = me;
        leaders++;
        assert(leaders == 1)
    :: else -> skip
    fi;
    finished++;
    goto again
}

init {
    byte shift = 0;
    atomic {
        run node(begin_0, 1, from_0_to_1, from_1_to_0, 2, from_0_to_2, from_2_to_0);
        run node(begin_1, 0, from_1_to_0, from_0_to_1, 2, from_1_to_2, from_2_to_1);
        run node(begin_2, 0, from_2_to_0, from_0_to_2, 1, from_2_to_1, from_1_to_2)
    }
    do
    :: true ->
        finished = 0;
        leaders = 0;
        leader = NOBODY;
        begin_0!wave(shift); begin_1!wave(shift); begin_2!wave(shift);
        finished == 3;
        shift = (shift + 1) % 3
    od
}

ltl never_again { <>[] (nobody_leads U leads(0)) }
ltl zero_leads { <> leads(0) }
ltl zero_again { []<> leads(0) }
ltl three_leads { <> leads(3) }
ltl zero_follows { [] (nobody_leads -> <> leads(0)) }
ltl only_zero { [] (nobody_leads || leads(0)) }
