/*
 * Publish and subscribe through a broker (K. Birman and T. Joseph, "Exploiting
 * virtual synchrony in distributed systems", 1987).
 *
 * A subscriber sends its inbox to the broker, reads news and may leave again.
 * The publisher numbers its news 1, 2, ... NEWS. The broker copies each one to
 * every inbox that is subscribed at that moment. Nobody knows anybody else.
 *
 * Checked: a subscriber sees consecutive numbers, nothing after it has left and
 * its leave was confirmed, and nothing of somebody else's. That everybody sees
 * all news must fail (a subscriber may come late).
 *
 * Macros: SUBS subscribers (about 28 times the states each), NEWS, SPACE of an inbox,
 * BROKEN (the broker drops news for a full inbox instead of waiting), RIGID (a
 * subscriber that wants to leave reads no news until the broker has taken its
 * wish: then both may wait for each other).
 */
#ifndef SUBS
#define SUBS 2
#endif
#ifndef NEWS
#define NEWS 2
#endif
#ifndef SPACE
#define SPACE 1
#endif

mtype = { subscribe, unsubscribe, publish, news, bye };

chan broker = [1] of { mtype, byte, chan };		/* kind, sender or number, inbox */
chan nobody = [0] of { mtype, byte };

byte published;
byte seen[SUBS];		/* news read by each subscriber */
byte left;			/* subscribers that have gone */

active proctype Broker() {
	chan inbox[SUBS];
	bool member[SUBS];
	chan c;
	byte who, i;

end:	do
	:: broker?subscribe(who, c) ->
		d_step { assert(!member[who]); inbox[who] = c; member[who] = true }
	:: broker?unsubscribe(who, c) ->
		d_step { assert(member[who]); member[who] = false };
		c!bye(0)
	:: broker?publish(who, _) ->
		for (i : 0 .. SUBS - 1) {
			if
#ifdef BROKEN
			:: member[i] && len(inbox[i]) == SPACE -> skip
			:: member[i] && len(inbox[i]) < SPACE -> inbox[i]!news(who)
#else
			:: member[i] -> inbox[i]!news(who)
#endif
			:: else -> skip
			fi
		}
		i = 0
	od
}

active proctype Publisher() {
	do
	:: published < NEWS ->
		published++;
		broker!publish(published, nobody)
	:: else -> break
	od
}

inline read() {
	d_step {
		assert(last == 0 || n == last + 1);
		last = n;
		seen[me]++
	}
}

active [SUBS] proctype Subscriber() {
	chan inbox = [SPACE] of { mtype, byte };
	byte me = _pid - 2;
	byte last, n;

	broker!subscribe(me, inbox);
end:	do
	:: inbox?news(n) -> read()
#ifdef RIGID
	:: true -> broker!unsubscribe(me, inbox); break
#else
	:: broker!unsubscribe(me, inbox) -> break
#endif
	od;
	do
	:: inbox?news(n) -> read()
	:: inbox?bye(_) -> break
	od;
	left++
}

ltl not_before_published { [] (seen[0] <= published) }
ltl bounded              { [] (seen[SUBS - 1] <= NEWS) }
ltl all_published        { <> (published == NEWS) }
ltl sees_everything_fails { <> (seen[0] == NEWS) }
ltl all_leave            { <> (left == SUBS) }
