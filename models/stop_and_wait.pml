/*
 * Stop and wait (positive acknowledgement with retransmission) over a medium
 * that loses and duplicates messages; the simplest link protocol of all
 * (textbook form; used in the ARPANET's host links, 1970).
 *
 * TOTAL messages are sent one by one; the next is sent when the last one is
 * acknowledged. Without numbers (NOSEQ) a lost acknowledgement makes the
 * receiver take the same message twice. The medium is a process of its own
 * that takes a message by rendezvous and passes it on, drops it or doubles it;
 * FAULTS bounds how often it misbehaves, so that the protocol terminates.
 *
 * Checked: the receiver's count never runs ahead; everything arrives in the end;
 * no deadlock. That no message is sent twice must fail.
 *
 * Macros: TOTAL messages, FAULTS (both linear), NOSEQ.
 */
#ifndef TOTAL
#define TOTAL 3
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifdef NOSEQ
#define ACCEPT(n)  true
#else
#define ACCEPT(n)  ((n) == taken)
#endif

#define SPACE  (FAULTS + 2)	/* the medium's buffers never fill up */

mtype = { message, receipt };

chan to_medium = [0] of { mtype, byte };
chan to_receiver = [SPACE] of { byte };
chan to_sender = [SPACE] of { byte };

byte faults;
byte taken;		/* messages accepted by the receiver */
byte confirmed;		/* messages confirmed to the sender */
byte copies;		/* transmissions of the current message */
bool sender_done;

active proctype Sender() {
	byte n;
	do
	:: confirmed < TOTAL ->
		copies = 0;
again:		atomic { to_medium!message(confirmed); copies++ };
		if
		:: to_sender?n ->
			if
			:: n == confirmed -> confirmed++
			:: else -> goto again		/* an old receipt */
			fi
		:: timeout -> goto again
		fi
	:: else -> break
	od;
	sender_done = true
}

active proctype Receiver() {
	byte n;
end:	do
	:: to_receiver?n ->
		if
		:: ACCEPT(n) -> taken++
		:: else
		fi;
		assert(taken <= confirmed + 1);
		to_medium!receipt(n)
	od
}

active proctype Medium() {
	mtype kind;
	byte n;
end:	do
	:: to_medium?kind(n) ->
		if
		:: atomic { faults < FAULTS -> faults++; goto end }	/* lost */
		:: atomic { faults < FAULTS -> faults++ };		/* doubled */
			if
			:: kind == message -> to_receiver!n
			:: kind == receipt -> to_sender!n
			fi
		:: skip
		fi;
		if
		:: kind == message -> to_receiver!n
		:: kind == receipt -> to_sender!n
		fi
	od
}

ltl never_ahead     { [] (taken <= confirmed + 1) }
ltl confirmed_is_true { [] (confirmed <= taken) }
ltl all_arrive      { <> (taken == TOTAL) }
ltl sent_once_fails { [] (copies <= 1) }
ltl done_means_quiet_fails { [] (sender_done -> len(to_receiver) == 0 && len(to_sender) == 0) }
