//! Stores: how visited states are kept.
//!
//! A store is shared by all workers of a search; each worker holds a handle to it. Stores are capabilities: what a store
//! can do beyond saying "new" or "seen" is said by constants ([`Store::EXACT`], [`Store::RESTORES`]) and by the traits it
//! implements beside ([`Indexed`]).
//!
//! *Safe points.* Whatever needs the store for itself (growth above all) happens while every worker is at a safe point:
//! inside [`Handle::pause`], inside [`Handle::absent`], or gone (its handle dropped). A worker calls `pause` between two
//! batches, and wraps whatever waits for another worker in `absent`; a wait outside of `absent` can be a deadlock.

use crate::StateHash;

/// What a store says of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// It was not there and is now; its number, where the store gives numbers.
    New(u64),
    /// It was there; its number, where the store gives numbers.
    Seen(u64),
    /// There is no room left: it was neither found nor stored.
    Full,
}

/// How visited states are kept.
pub trait Store: Sync {
    /// What a worker holds.
    type Handle<'s>: Handle + Send
    where
        Self: 's;

    /// Whether "seen" is always true. A lossy store may say it of a state that was never stored; "new" is always true.
    const EXACT: bool;

    /// Whether the numbers lead back to the states, by [`Handle::read`].
    const RESTORES: bool;

    /// Whether the numbers are small enough to index arrays: true for stores that are [`Indexed`].
    const SMALL_NUMBERS: bool = false;

    /// A handle for one more worker.
    fn handle(&self) -> Self::Handle<'_>;

    /// Memory the store holds now, in bytes: all of it, tables and what is kept beside.
    fn memory_bytes(&self) -> u64;
}

/// Stores whose numbers are small: arrays beside the store can be indexed by them.
pub trait Indexed: Store {
    /// An upper bound (exclusive) of all numbers given so far. Numbers are nearly dense: the bound is at most the number
    /// of states plus 4096 for each worker and each length of states.
    fn bound(&self) -> u64;
}

/// Where a state stands among the bytes of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Where it starts.
    pub start: u32,
    /// Its length.
    pub len: u32,
}

impl Span {
    /// The state, among the bytes of its batch.
    #[inline(always)]
    pub fn state<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.start as usize..][..self.len as usize]
    }
}

/// A state of a batch, which a store is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Its [`crate::StateHash`].
    pub hash: u64,
    /// Where it stands.
    pub span: Span,
}

impl Query {
    /// The state, among the bytes of its batch.
    #[inline(always)]
    pub fn state<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        self.span.state(bytes)
    }
}

/// A state of a batch that was not there, and is now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fresh {
    /// Which one of the batch.
    pub index: u32,
    /// Its number, where the store gives numbers.
    pub number: u64,
}

/// How many states of a batch are looked at in one go.
const GO: usize = 64;

/// A worker's access to a store.
pub trait Handle {
    /// Brings the place where a state with this hash would stand near; only a hint.
    fn prefetch(&self, hash: u64);

    /// Looks a state up and stores it where it is missing. `hash` is the state's [`crate::StateHash`], with a seed
    /// that is the same for the whole life of the store.
    fn put(&mut self, state: &[u8], hash: u64) -> Found;

    /// [`Handle::put`] for all states of a batch, which were prefetched, in order; adds an answer for each, up to the first
    /// that finds no room.
    #[inline]
    fn put_all(&mut self, bytes: &[u8], queries: &[Query], answers: &mut Vec<Found>) {
        for q in queries {
            let found = self.put(q.state(bytes), q.hash);
            answers.push(found);
            if found == Found::Full {
                break;
            }
        }
    }

    /// [`Handle::put`] for all states of a batch, in order, where only those that are new matter: these are added to
    /// `fresh`. Nothing needs to be prefetched or hashed before. Answers how many states were put: fewer than all when the
    /// next one finds no room.
    fn insert_batch(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        let mut hashes = [0; GO];
        for (go, spans) in spans.chunks(GO).enumerate() {
            for (hashed, span) in hashes.iter_mut().zip(spans) {
                *hashed = hash.of(span.state(bytes));
                self.prefetch(*hashed);
            }
            for (i, (hashed, span)) in hashes.iter().zip(spans).enumerate() {
                let index = go * GO + i;
                match self.put(span.state(bytes), *hashed) {
                    Found::New(number) => fresh.push(Fresh { index: index as u32, number }),
                    Found::Seen(_) => {}
                    Found::Full => return index,
                }
            }
        }
        spans.len()
    }

    /// Looks a state up; `None` when it is not there.
    fn find(&self, state: &[u8], hash: u64) -> Option<u64>;

    /// The state with this number. `scratch` is used where the store does not keep it in one piece.
    ///
    /// # Panics
    /// Panics when the store does not restore states, or never gave this number.
    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8];

    /// The states with these numbers, one behind the other: as many from the first on as can be had so and have one length,
    /// which stands beside; the first one at least. `scratch` is used as by [`Handle::read`].
    ///
    /// # Panics
    /// As for [`Handle::read`]; and when there are no numbers.
    #[inline]
    fn read_run<'a>(&'a self, numbers: &[u64], scratch: &'a mut Vec<u8>) -> (&'a [u8], usize) {
        let state = self.read(numbers[0], scratch);
        (state, state.len())
    }

    /// A safe point: returns at once unless a worker waits for the store to be its own.
    fn pause(&mut self);

    /// Runs `wait`, which may wait for other workers; meanwhile this worker counts as being at a safe point.
    fn absent(&mut self, wait: &mut dyn FnMut());
}
