/*
 * A first-fit memory allocator.
 * First fit and its bookkeeping: D. E. Knuth, The Art of Computer
 * Programming, vol. 1, section 2.5, 1968.
 *
 * A heap of CELLS cells is shared by CLIENTS clients.  Each allocates up to
 * HOLD blocks of one or two cells, writes its name into them, checks that
 * nobody else has written there, and frees them in the order in which it
 * got them.  An allocation waits until a large enough hole is found.
 *
 * Checked
 *   assertions          blocks never overlap, freed cells were in use, and
 *                       the number of free cells is always right
 *   ltl accounted       never more cells are free than there are
 *   ltl expect_fail_never_exhausted
 *                       the heap is never full: false
 *   ltl expect_fail_served
 *                       client 0 holds memory again and again: false
 *                       without fairness
 *   -DHOLD=2            a client that holds one block waits for another: if
 *                       all do, they wait for ever; an invalid end state
 *   -DRACE              search and mark are two steps: blocks overlap
 *
 * Macros
 *   CLIENTS   number of clients (default 2)
 *   CELLS     size of the heap (default 3)
 *   HOLD      blocks that a client may hold (default 1)
 *   RACE      no lock around the search
 *   A factor of about 50 for each client and cell.
 */

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef CELLS
#define CELLS 3
#endif
#ifndef HOLD
#define HOLD 1
#endif

#define FREE	255
#define NOWHERE	255

typedef Block {
	byte start;
	byte size
};

typedef Client {
	Block block[HOLD];
	byte blocks            /* how many of them are in use */
};

typedef Heap {
	byte owner[CELLS];
	byte free
};

Heap heap;
Client client[CLIENTS];

/* at = the first place with size free cells, or NOWHERE */
inline find_hole(size, at)
{
	d_step {
		at = 0;
		do
		:: at + size > CELLS -> at = NOWHERE; break
		:: at + size <= CELLS && heap.owner[at] == FREE &&
		   heap.owner[at + size - 1] == FREE -> break
		:: else -> at++
		od
	}
}

/* the block [at, at+size) belongs to who from now on */
inline mark(at, size, who, before, cell)
{
	d_step {
		cell = at;
		do
		:: cell < at + size ->
			assert(heap.owner[cell] == before);
			heap.owner[cell] = who;
			cell++
		:: else -> cell = 0; break
		od
	}
}

proctype User(byte me)
{
	byte size, at, cell;

	do
	:: client[me].blocks < HOLD ->
		select (size : 1 .. 2);
again:
#ifdef RACE
		find_hole(size, at);
		if
		:: at == NOWHERE -> goto again
		:: else
		fi;
		mark(at, size, me, FREE, cell);
#else
		atomic {
			heap.free >= size;      /* wait, don't spin */
			find_hole(size, at);
			if
			:: at == NOWHERE -> goto again
			:: else
			fi;
			mark(at, size, me, FREE, cell)
		}
#endif
		d_step {
			heap.free = heap.free - size;
			client[me].block[client[me].blocks].start = at;
			client[me].block[client[me].blocks].size = size;
			client[me].blocks++;
			size = 0;
			at = 0
		}
holds:		skip
	:: client[me].blocks == HOLD ->
		/* free all, the oldest first */
		for (at : 0 .. HOLD-1) {
			d_step {
				size = client[me].block[at].size;
				mark(client[me].block[at].start, size, FREE, me, cell);
				heap.free = heap.free + size;
				client[me].block[at].start = 0;
				client[me].block[at].size = 0;
				client[me].blocks--;
				size = 0
			}
		}
		at = 0
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. CELLS-1) { heap.owner[i] = FREE }
		heap.free = CELLS;
		for (i : 0 .. CLIENTS-1) { run User(i) }
		i = 0
	}
}

ltl accounted { [] (heap.free <= CELLS) }

ltl expect_fail_never_exhausted { [] (User[1]@holds -> heap.free > 0) }

ltl expect_fail_served { [] <> User[1]@holds }
