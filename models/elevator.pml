/*
 * An elevator that sweeps up and down (the SCAN or elevator algorithm).
 * The algorithm is also used for disk heads: P. J. Denning, 1967.
 *
 * The cabin goes on in its direction as long as there is a floor ahead, and
 * turns at the ends; it stops wherever a call is pending, and rests while
 * there are no calls.  An alarm interrupts it at any moment (`unless'): the
 * cabin halts, and resumes when the alarm is over.
 *
 * Checked
 *   assertions      the door is never open while the cabin moves, and the
 *                   cabin stays within the building
 *   ltl door_safe   the same
 *   ltl answered    a call from the ground floor is answered: violated
 *                   without fairness; also violated with it, since the
 *                   cabin stays as long as someone calls it to where it is,
 *                   unless -DPOLITE
 *   ltl expect_fail_stays_down
 *                   the cabin never reaches the top floor: false
 *   ltl expect_fail_rests
 *                   at last the cabin rests for ever: false
 *   progress        there is no cycle without an opened door: holds with
 *                   fairness, but not with -DALARM, which may ring for ever
 *
 * Macros
 *   FLOORS   number of floors, at least 2 (default 3); a factor of about
 *            3 for each
 *   ALARM    there is an alarm button
 *   POLITE   the cabin moves on after each stop if there are other calls
 *   UNSAFE   the alarm opens the door without halting first: VIOLATED
 */

#ifndef FLOORS
#define FLOORS 3
#endif

mtype:direction = { up, down }

mtype:direction heading = up;
bool call[FLOORS];
byte pending;          /* number of calls        */
byte floor;            /* where the cabin is     */
bool moving, door_open, alarm;

/* one floor on, after turning round at the ends */
inline advance()
{
	if
	:: heading == up   && floor == FLOORS - 1 -> heading = down
	:: heading == down && floor == 0          -> heading = up
	:: else
	fi;
	moving = true;
	assert(!door_open);
	if
	:: heading == up   -> floor++
	:: heading == down -> floor--
	fi;
	assert(floor < FLOORS);
	moving = false
}

active proctype Cabin()
{
drive:	{
end:		do
		:: pending > 0 && !call[floor] ->
			advance()
		:: pending > 0 && call[floor] ->
			door_open = true;
progress_open:		assert(!moving);
			d_step { call[floor] = false; pending-- };
			door_open = false;
#ifdef POLITE
			if
			:: pending > 0 -> advance()
			:: else
			fi
#endif
		od
	} unless {
		alarm
	};
	/* emergency */
#ifdef UNSAFE
	door_open = true;
	assert(!moving);
#endif
	moving = false;
	door_open = false;
	alarm = false;
	goto drive
}

active proctype Passengers()
{
	byte f;

end:	do
	:: select (f : 0 .. FLOORS-1);
	   if
	   :: d_step { !call[f] -> call[f] = true; pending++; f = 0 }
	   :: else -> f = 0
	   fi
	od
}

#ifdef ALARM
active proctype AlarmButton()
{
	do
	:: !alarm -> alarm = true
	od
}
#endif

ltl door_safe { [] !(moving && door_open) }

ltl answered { [] (call[0] -> <> !call[0]) }

ltl expect_fail_stays_down { [] (floor < FLOORS - 1) }

ltl expect_fail_rests { <> [] (!moving && !door_open) }
