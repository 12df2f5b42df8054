//! The exact store: every state is kept as it is.
//!
//! States lie in an arena of chunks and never move; an index of 8-byte slots leads from hashes to numbers. The form is that
//! of Laarman, van de Pol and Weber ("Boosting multi-core reachability performance with shared hash tables", 2010), with
//! numbers instead of places, so that the index can grow, and with growth by segments at safe points.
//!
//! Cost: a slot of 8 bytes at a load between a third and two thirds, which is 12 to 24 bytes a state, and the state; a lookup
//! touches one line of the index and, when the hash is found, the state.
//!
//! Shared between threads: what [`crate::table::index`], [`crate::memory::arena`] and [`crate::safepoint::gate`] say. Nothing is written by a lookup
//! that finds its state.

use crate::Options;
use crate::memory::arena::{Arena, OpenChunks};
use crate::memory::budget::Account;
use crate::memory::refusal::granted;
use crate::safepoint::gate::{Gate, Maintenance, Standing};
use crate::safepoint::registration::Registration;
use crate::table::index::{Index, Inserted, NoKeys};
use crate::table::insert_batch;
use crate::table::load::Counts;
use crate::table::probe::Lookup;
use ferrospin_system::{Found, Fresh, Handle, Indexed, Query, Span, StateHash, Store};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What an empty store takes, roughly.
const EMPTY_BYTES: usize = 64 << 10;

/// Keeps every state in full.
pub struct Exact {
    pub(crate) index: Index<AtomicU64>,
    pub(crate) arena: Arena,
    gate: Gate,
    account: Arc<Account>,
}

impl Exact {
    /// An empty store.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one ([`crate::memory::refusal`]).
    pub fn new(options: &Options) -> Exact {
        let account = Arc::new(Account::new(options.budget()));
        Exact {
            index: granted(Index::new(&account), EMPTY_BYTES),
            arena: granted(Arena::new(&account), EMPTY_BYTES),
            gate: Gate::new(),
            account,
        }
    }

    /// How many states are stored. What other workers store meanwhile may be left out.
    pub fn states(&self) -> u64 {
        self.arena.states()
    }

    /// Walks all states with their numbers, in the order of the numbers. What is stored meanwhile may be left out.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8])) {
        self.arena.each(&mut |number, _, state| f(number, state));
    }

    /// Number of times all workers stopped, for growth above all.
    pub fn stops(&self) -> u64 {
        self.gate.generation()
    }
}

impl Store for Exact {
    type Handle<'s> = ExactHandle<'s>;
    const EXACT: bool = true;
    const RESTORES: bool = true;
    const SMALL_NUMBERS: bool = true;

    fn handle(&self) -> ExactHandle<'_> {
        ExactHandle {
            store: self,
            registration: Registration::enter(&self.gate),
            chunks: OpenChunks::default(),
            counts: Counts::new(),
        }
    }

    fn memory_bytes(&self) -> u64 {
        self.account.held_bytes() + (size_of::<Exact>() + self.index.uncharged_bytes()) as u64
    }
}

impl Indexed for Exact {
    fn bound(&self) -> u64 {
        self.arena.bound()
    }
}

impl Maintenance for Exact {
    fn prepare(&self) {
        self.index.prepare();
    }

    fn work(&self) {
        // SAFETY: the gate calls it only while every worker is parked, absent or gone.
        unsafe { self.index.work(&NoKeys) }
    }

    fn finish(&self) {}
}

/// A worker's access to an [`Exact`] store.
pub struct ExactHandle<'s> {
    pub(crate) store: &'s Exact,
    pub(crate) registration: Registration<'s>,
    pub(crate) chunks: OpenChunks,
    pub(crate) counts: Counts,
}

impl ExactHandle<'_> {
    /// The slow path, which passes a safe point: growing, or ending another worker's exclusive standing. `None`: try again.
    #[cold]
    fn slow(&mut self, inserted: Inserted, hash: u64) -> Option<Found> {
        let store = self.store;
        match inserted {
            Inserted::NotSynchronized => {
                self.registration.synchronize(store);
                None
            }
            Inserted::NoSlot => {
                let size = store.index.size_for(hash);
                store.index.overflow(hash);
                self.registration.request();
                self.registration.park(store);
                (store.index.size_for(hash) == size).then_some(Found::Full)
            }
            _ => Some(Found::Full),
        }
    }
}

impl ExactHandle<'_> {
    /// Most states have been seen, or find their place at the first try: what these need is so little that it is worth a
    /// path of its own.
    #[inline(always)]
    fn put_here(&mut self, state: &[u8], hash: u64) -> Found {
        let store = self.store;
        match store.index.look(hash, |number| store.arena.holds(number, state)) {
            Lookup::Seen(number) => Found::Seen(number.into()),
            // SAFETY: no words are promised.
            Lookup::Empty(slot) => {
                unsafe { self.fill::<0>(slot, state, hash) }.unwrap_or_else(|| self.put_missing(state, hash))
            }
            _ => self.put_missing(state, hash),
        }
    }

    /// Stores a state in the empty slot at which its lookup has ended. `None`: that must be done with more care.
    ///
    /// # Safety
    /// The state takes `WORDS` words, as for [`crate::memory::bytes::copy_words`].
    #[inline(always)]
    pub(crate) unsafe fn fill<const WORDS: usize>(
        &mut self,
        slot: &AtomicU64,
        state: &[u8],
        hash: u64,
    ) -> Option<Found> {
        let (store, standing) = (self.store, self.registration.standing());
        if standing == Standing::Joining || store.index.is_closed(hash) {
            return None;
        }
        // SAFETY: by the caller.
        let Some(number) = (unsafe { self.chunks.write_words::<WORDS>(state, &store.arena) }) else {
            return Some(Found::Full);
        };
        // Another worker may be faster; what was written will be written again, or over.
        let grow = store.index.fill(slot, hash, number, standing == Standing::Exclusive, &mut self.counts)?;
        self.chunks.publish(&store.arena);
        if grow {
            self.registration.request();
        }
        Some(Found::New(number.into()))
    }

    /// Stores a state that was not there a moment ago.
    #[inline(never)]
    pub(crate) fn put_missing(&mut self, state: &[u8], hash: u64) -> Found {
        loop {
            let store = self.store;
            let chunks = &mut self.chunks;
            let inserted = store.index.insert(
                hash,
                self.registration.standing(),
                &mut self.counts,
                |number| store.arena.holds(number, state),
                || chunks.write(state, &store.arena),
            );
            match inserted {
                Inserted::Seen(number) => return Found::Seen(number.into()),
                Inserted::New(number, grow) => {
                    self.chunks.publish(&store.arena);
                    if grow {
                        self.registration.request();
                    }
                    return Found::New(number.into());
                }
                other => {
                    if let Some(found) = self.slow(other, hash) {
                        return found;
                    }
                }
            }
        }
    }
}

impl Handle for ExactHandle<'_> {
    #[inline]
    fn prefetch(&self, hash: u64) {
        self.store.index.prefetch(hash);
    }

    #[inline]
    fn put(&mut self, state: &[u8], hash: u64) -> Found {
        self.put_here(state, hash)
    }

    fn put_all(&mut self, bytes: &[u8], queries: &[Query], answers: &mut Vec<Found>) {
        answers.reserve(queries.len());
        for q in queries {
            let found = self.put_here(q.state(bytes), q.hash);
            answers.push(found);
            if found == Found::Full {
                break;
            }
        }
    }

    fn insert_batch(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        insert_batch::insert_batch(self, bytes, spans, hash, fresh)
    }

    #[inline]
    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        let store = self.store;
        store.index.find(hash, |number| store.arena.holds(number, state)).map(u64::from)
    }

    #[inline]
    fn read<'a>(&'a self, number: u64, _scratch: &'a mut Vec<u8>) -> &'a [u8] {
        self.store.arena.read(number)
    }

    #[inline]
    fn read_run<'a>(&'a self, numbers: &[u64], _scratch: &'a mut Vec<u8>) -> (&'a [u8], usize) {
        self.store.arena.read_run(numbers)
    }

    #[inline]
    fn pause(&mut self) {
        if self.registration.wanted() {
            self.registration.park(self.store);
        }
    }

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.registration.absent(wait);
    }
}
