/*
 * Readers and writers, with preference to the readers.
 * P. J. Courtois, F. Heymans and D. L. Parnas, "Concurrent control with
 * readers and writers", 1971 (problem 1).
 *
 * Any number of readers may read together, a writer needs the data alone.
 * The first reader locks the writers out, the last reader lets them in;
 * a writer may starve while readers come and go.
 *
 * Checked
 *   assertions       a reader sees no writer, a writer sees nobody else,
 *                    and the data is never seen half written
 *   ltl exclusion    no reader while someone writes
 *   ltl expect_fail_single_reader
 *                    there is never more than one reader: false
 *   ltl expect_fail_writer_served
 *                    a writer that asks gets the data: false even with weak
 *                    fairness
 *   ltl someone_works
 *                    somebody reads or writes again and again
 *
 * Macros
 *   R       number of readers (default 2)
 *   W       number of writers (default 1)
 *   BROKEN  the first reader gives back the mutex before it has locked the
 *           writers out: a second reader then walks in on a writer
 *   A factor of about 7 for each reader and 2 for each writer.
 */

#ifndef R
#define R 2
#endif
#ifndef W
#define W 1
#endif

byte mutex = 1;        /* semaphore: protects readcount   */
byte data_free = 1;    /* semaphore: held by the readers together or a writer */
byte readcount;

byte reading, writing; /* ghosts */
bit low, high;         /* the data: equal whenever nobody writes */

inline P(s) { atomic { s > 0 -> s-- } }
inline V(s) { s++ }

active [R] proctype Reader()
{
	bool first;

	do
	:: P(mutex);
	   readcount++;
	   first = (readcount == 1);
#ifdef BROKEN
	   V(mutex);                    /* too early */
#endif
	   if
	   :: first -> P(data_free); first = false
	   :: else
	   fi;
#ifndef BROKEN
	   V(mutex);
#endif

	   reading++;
	   assert(writing == 0);
	   assert(low == high);
	   reading--;

	   P(mutex);
	   readcount--;
	   if
	   :: readcount == 0 -> V(data_free)
	   :: else
	   fi;
	   V(mutex)
	od
}

active [W] proctype Writer()
{
	do
	:: true;
ask:	   P(data_free);
	   writing++;
write:	   assert(writing == 1 && reading == 0);
	   low = 1 - low;
	   high = 1 - high;
	   writing--;
	   V(data_free)
	od
}

ltl exclusion { [] !(reading > 0 && writing > 0) }

ltl expect_fail_single_reader { [] (reading <= 1) }

ltl expect_fail_writer_served { [] (Writer[R]@ask -> <> Writer[R]@write) }

ltl someone_works { [] <> (reading > 0 || writing > 0) }
