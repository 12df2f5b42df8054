/*
 * The MESI cache coherence protocol on a snooping bus (M. Papamarcos and J. Patel,
 * "A low-overhead coherence solution for multiprocessors with private cache
 * memories", 1984; also called the Illinois protocol).
 *
 * N caches hold one line. A cache that misses or wants to write takes the bus;
 * the other caches snoop one after the other: on a read they go to Shared (and a
 * Modified owner writes back), on a write they go to Invalid. Evictions write
 * Modified lines back. A write flips the one-bit content, so a stale copy differs
 * from the newest value.
 *
 * Checked: a Modified or Exclusive line is the only valid copy; every valid copy
 * has the newest value whenever the bus is free; memory is right unless somebody
 * is Modified. Starvation must show: a cache may never get the bus.
 *
 * Macros: N caches (about 6 times the states per cache), BROKEN (writing to a
 * Shared line does not invalidate the other copies).
 */
#ifndef N
#define N 2
#endif

mtype = { Modified, Exclusive, Shared, Invalid };

mtype line[N] = Invalid;
bit copy[N];
bit memory, newest;
byte owner = N;			/* who has the bus; N: nobody */

#define take_bus()     atomic { owner == N -> owner = _pid }
#define release_bus()  owner = N

inline snoop_read() {		/* the others share what they have */
	found = false;
	for (i : 0 .. N - 1) {
		if
		:: i != _pid && line[i] != Invalid ->
			d_step {
				found = true;
				if
				:: line[i] == Modified -> memory = copy[i]
				:: else
				fi;
				line[i] = Shared
			}
		:: else
		fi
	}
	i = 0
}

inline snoop_write() {		/* the others give up their copies */
	for (i : 0 .. N - 1) {
		if
		:: i != _pid && line[i] != Invalid ->
			d_step {
				if
				:: line[i] == Modified -> memory = copy[i]
				:: else
				fi;
				copy[i] = 0;
				line[i] = Invalid
			}
		:: else
		fi
	}
	i = 0
}

inline check_read() { assert(copy[_pid] == newest) }

active [N] proctype Cache() {
	byte i;
	bool found;
	do
	:: atomic { owner == N && line[_pid] != Invalid -> check_read() }	/* read hit */
	:: line[_pid] == Invalid ->						/* read miss */
		take_bus();
		snoop_read();
		d_step {
			copy[_pid] = memory;
			line[_pid] = (found -> Shared : Exclusive);
			check_read();
			found = false;
			release_bus()
		}
	:: d_step {								/* write hit */
		owner == N && (line[_pid] == Modified || line[_pid] == Exclusive) ->
		newest = 1 - newest;
		copy[_pid] = newest;
		line[_pid] = Modified
	   }
	:: line[_pid] == Shared || line[_pid] == Invalid ->			/* upgrade, write miss */
		take_bus();
#ifdef BROKEN
		if
		:: line[_pid] == Shared -> skip
		:: else -> snoop_write()
		fi;
#else
		snoop_write();
#endif
		d_step {
			newest = 1 - newest;
			copy[_pid] = newest;
			line[_pid] = Modified;
			release_bus()
		}
	:: d_step {								/* eviction */
		owner == N && line[_pid] != Invalid ->
		if
		:: line[_pid] == Modified -> memory = copy[_pid]
		:: else
		fi;
		copy[_pid] = 0;
		line[_pid] = Invalid
	   }
	od
}

#define only(a, b)   ((line[a] == Modified || line[a] == Exclusive) -> line[b] == Invalid)
#define fresh(c)     (line[c] != Invalid -> copy[c] == newest)

ltl exclusive_01   { [] (owner == N -> only(0, 1)) }
ltl exclusive_10   { [] (owner == N -> only(1, 0)) }
ltl coherent       { [] (owner == N -> fresh(0) && fresh(1)) }
ltl write_back     { [] ((line[0] == Invalid && line[1] == Invalid && owner == N && N == 2) -> memory == newest) }
ltl shared_is_clean { [] (owner == N && line[0] == Shared -> memory == newest) }
ltl gets_the_bus_fails { [] (line[0] == Invalid -> <> (owner == 0)) }
ltl both_shared_fails { [] !(line[0] == Shared && line[1] == Shared) }
