/*
 * Traffic lights at a junction, with process priorities.
 *
 * N roads meet; a lamp process for each road turns green, amber and red in
 * turn.  A pedestrian presses a button, which promotes the crossing process
 * to a high priority: as soon as all lamps are red the crossing runs, and no
 * lamp can act before it has finished.  There is no lock between them; the
 * priority alone keeps a lamp, which may already have decided to turn green,
 * from doing so while somebody is on the road.  The crossing then lowers its
 * own priority again.
 *
 * Checked
 *   assertions         nobody walks unless all lamps are red; two roads are
 *                      never open together; the priorities are as expected
 *   ltl safe_walk      walking and green exclude each other
 *   ltl one_road       roads 0 and 1 are never open together
 *   ltl expect_fail_never_walk
 *                      nobody ever walks: false
 *   ltl expect_fail_amber_follows_red
 *                      lamp 0 goes from red directly to amber: false
 *   ltl flows          road 0 gets green again and again: violated without
 *                      fairness, the button may be pressed for ever
 *   -DEQUAL            without priorities a lamp turns green under the feet
 *                      of the pedestrian: VIOLATED
 *
 * Macros
 *   N       number of roads (default 2); grows linearly
 *   EQUAL   all processes have the same priority
 */

#ifndef N
#define N 2
#endif

#ifdef EQUAL
#define HIGH 1
#else
#define HIGH 5
#endif
#define LOW 1

mtype:colour = { red, amber, green }

mtype:colour lamp[N] = red;
byte turn;             /* the road that may turn green next */
byte open_roads;       /* roads that are not red            */
bool request, walking;
pid crossing;          /* the process to promote            */

proctype Lamp(byte road) priority 1
{
	do
	:: turn == road && !request ->
		atomic { lamp[road] = green; open_roads++ };
		assert(!walking && open_roads == 1);
		lamp[road] = amber;
		atomic { lamp[road] = red; open_roads-- };
		turn = (turn + 1) % N
	od
}

proctype Crossing() priority 1
{
end:	do
	:: request && open_roads == 0 ->
		assert(get_priority(_pid) == HIGH);
		walking = true;
walk:		assert(open_roads == 0);
		walking = false;
		request = false;
		set_priority(_pid, LOW)
	od
}

proctype Button() priority 1
{
	do
	:: atomic {
		!request ->
		set_priority(crossing, HIGH);
		request = true
	   }
	od
}

init {
	byte i;

	atomic {
		crossing = run Crossing();
		run Button();
		for (i : 0 .. N-1) { run Lamp(i) }
		i = 0
	}
}

ltl safe_walk { [] !(walking && open_roads > 0) }

ltl one_road { [] (lamp[0] == red || lamp[1] == red) }

ltl expect_fail_never_walk { [] !walking }

ltl expect_fail_amber_follows_red { [] (lamp[0] == red -> (lamp[0] == red W lamp[0] == amber)) }

ltl flows { [] <> (lamp[0] == green) }
