/*
 * A simple file transfer with abort (a teaching model after the transfer
 * services of the 1970s: open, blocks, close; either user may interrupt).
 *
 * The sender opens, sends BLOCKS blocks and closes; every message is answered.
 * At any moment either user may abort: the normal course of a process stands in
 * a block with an "unless" that watches for abort requests and abort messages.
 * Channels keep the order and lose nothing.
 *
 * Checked: a file that the receiver keeps is complete; a sender who is told
 * "done" has a receiver who keeps the file; both return to rest. That every
 * transfer succeeds must fail, and so must agreement at all times: an abort may
 * cross the last answer.
 *
 * Macros: BLOCKS and FILES (both linear), BROKEN (the receiver keeps the file at
 * an abort too).
 */
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef FILES
#define FILES 2
#endif

mtype = { open, block, close, ok, stop, done, aborted, working };

chan data = [2] of { mtype, byte, byte };	/* kind, file, block number */
chan answer = [2] of { mtype, byte };		/* kind, file */

byte file;			/* the current file */
bool wish_s, wish_r;		/* abort wishes of the two users */
byte kept;			/* the last file that the receiver kept */
byte complete;			/* the last file of which it has all blocks */
mtype told = working;		/* what the sender's user was told */

inline ask(kind, n) {
	data!kind(file, n);
	answer?ok(eval(file))
}

active proctype Sender() {
	byte n;

	do
	:: file < FILES ->
		atomic { file++; told = working; wish_s = false };
		{
			ask(open, 0);
			for (n : 1 .. BLOCKS) { ask(block, n) }
			ask(close, 0);
			atomic { told = done; assert(kept == file) }
		} unless {
			if
			:: atomic { wish_s -> told = aborted; wish_s = false };
				data!stop(file, 0)
			:: atomic { answer??[stop,eval(file)] -> told = aborted };
				data!stop(file, 0)
			fi;
			do				/* drain the answers of this file */
			:: answer?ok(eval(file))
			:: answer?stop(eval(file))
			:: answer?done(eval(file)) -> break
			od
		};
		n = 0
	:: else -> break
	od
}

active proctype Receiver() {
	byte f, n, have;
	bool sent_stop;

end:	do
	:: data?open(f, _) ->
		have = 0;
		answer!ok(f)
	:: data?block(f, n) ->
		assert(n == have + 1);
		have = n;
		if
		:: have == BLOCKS -> complete = f
		:: else
		fi;
		answer!ok(f)
	:: data?close(f, _) ->
		atomic { assert(have == BLOCKS && complete == f); kept = f };
		answer!ok(f)
	:: data?stop(f, _) ->
#ifdef BROKEN
		kept = f;
#endif
		assert(kept != f || complete == f);
		d_step { have = 0; sent_stop = false };
		answer!done(f)
	:: atomic { wish_r && have > 0 && !sent_stop && kept != f -> wish_r = false; sent_stop = true };
		answer!stop(f)
	od
}

active proctype Users() {
	if
	:: wish_s = true
	:: wish_r = true
	:: skip
	fi
}

ltl kept_is_complete   { [] (kept == 0 || kept <= complete) }
ltl done_is_kept       { [] (told == done -> kept == file) }
ltl every_file_kept_fails { <> (kept == FILES) }
ltl abort_means_lost_fails { [] (told == aborted -> kept != file) }
ltl never_aborted_fails { [] (told != aborted) }
