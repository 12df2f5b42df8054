//! The tree store: states as trees of interned pairs, with numbers.
//!
//! States become roots ([`crate::forest`]); a root is a pair of node numbers, packed into 4 to 8 bytes, under a dense number
//! of its own, and is found by an index of narrow slots. Neighbouring states share all nodes but a few, so that a state
//! costs little more than its root: 9 to 12 bytes, whatever its length.
//!
//! Shared between threads: roots as in [`crate::pairs`]; nodes as in [`crate::forest`].

use crate::Options;
use crate::budget::Account;
use crate::forest::{Failure, Forest, ForestHandle, Resolved, Table};
use crate::gate::{Chores, Gate};
use crate::index::Inserted;
use crate::pairs::{Pair, PairReader, Pairs, PairsHandle};
use crate::seat::Seat;
use crate::shape::Scratch;
use crate::sift::{GROUP, fresh_only};
use ferrospin_system::{Found, Fresh, Handle, Indexed, Query, Span, StateHash, Store};
use std::sync::Arc;

/// Keeps states as trees whose parts are shared.
pub struct Tree {
    forest: Forest,
    roots: Pairs,
    gate: Gate,
    account: Arc<Account>,
}

impl Tree {
    /// An empty store.
    ///
    /// # Panics
    /// Panics when there is no memory for an empty one, about 300 KiB.
    pub fn new(options: &Options) -> Tree {
        let account = Arc::new(Account::new(options.budget()));
        Tree {
            forest: Forest::new(&account, &options.sample).expect("memory for an empty store"),
            roots: Pairs::new(&account).expect("memory for an empty store"),
            gate: Gate::new(),
            account,
        }
    }

    /// How many states are stored. What other workers store meanwhile may be left out.
    pub fn states(&self) -> u64 {
        self.forest.arena.states()
    }

    /// How many nodes there are below the roots.
    pub fn nodes(&self) -> u64 {
        self.forest.node_counts().iter().sum()
    }

    /// Where the memory goes, in bytes, but for what is of fixed size.
    pub fn parts(&self) -> Vec<(&'static str, u64)> {
        let roots = [("roots and sample", self.forest.arena.bytes()), ("root index", self.roots.index.bytes())];
        roots.into_iter().chain(self.forest.parts()).collect()
    }

    /// Walks all states with their numbers, in the order of the numbers. What is stored meanwhile may be left out.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8])) {
        let (mut scratch, mut state) = (Scratch::default(), Vec::new());
        self.forest.arena.each(&mut |number, meaning, bytes| {
            if meaning == 0 {
                return f(number, bytes);
            }
            let root = PairReader(&self.forest.arena).get_checked(number);
            let shape = self.forest.shape(root.shape).expect("a root has a shape");
            state.clear();
            self.forest.restore(&shape, root, &mut scratch, &mut state);
            f(number, &state);
        });
    }

    /// Number of times all workers stopped, for growth above all.
    pub fn stops(&self) -> u64 {
        self.gate.generation()
    }
}

impl Store for Tree {
    type Handle<'s> = TreeHandle<'s>;
    const EXACT: bool = true;
    const RESTORES: bool = true;
    const SMALL_NUMBERS: bool = true;

    fn handle(&self) -> TreeHandle<'_> {
        let seat = Seat::take(&self.gate);
        TreeHandle { store: self, seat, forest: ForestHandle::new(&self.forest), roots: PairsHandle::new() }
    }

    fn memory_bytes(&self) -> u64 {
        let fixed = size_of::<Tree>() + self.forest.uncharged_bytes() + self.roots.index.uncharged_bytes();
        self.account.held_bytes() + fixed as u64
    }
}

impl Indexed for Tree {
    fn bound(&self) -> u64 {
        self.forest.arena.bound()
    }
}

impl Chores for Tree {
    fn prepare(&self) {
        self.forest.prepare();
        self.roots.index.prepare();
    }

    fn work(&self) {
        // SAFETY: the gate calls it only while every worker is parked, absent or gone.
        unsafe {
            self.forest.work();
            self.roots.work(&self.forest.arena);
        }
    }

    fn finish(&self) {}
}

/// A worker's access to a [`Tree`].
pub struct TreeHandle<'s> {
    store: &'s Tree,
    seat: Seat<'s>,
    forest: ForestHandle,
    roots: PairsHandle,
}

impl TreeHandle<'_> {
    /// What cannot be done between two safe points. `None`: try again.
    #[cold]
    fn slow(&mut self, failure: Failure) -> Option<Found> {
        let store = self.store;
        let size = |table, hash| match table {
            Table::Roots => store.roots.index.size_for(hash),
            table => store.forest.size_for(table, hash),
        };
        match failure {
            Failure::NoMemory => Some(Found::Full),
            Failure::Unsettled => {
                self.seat.settle(store);
                self.forest.refresh(&store.forest);
                None
            }
            Failure::NoSlot(table, hash) => {
                let before = size(table, hash);
                match table {
                    Table::Roots => store.roots.index.overflow(hash),
                    table => store.forest.overflow(table, hash),
                }
                self.seat.request();
                self.park();
                (size(table, hash) == before).then_some(Found::Full)
            }
        }
    }

    fn park(&mut self) {
        self.seat.park(self.store);
        self.forest.refresh(&self.store.forest);
    }

    #[inline(always)]
    fn put_root(&mut self, root: Pair, hash: u64) -> Result<Found, Failure> {
        let store = self.store;
        match store.roots.intern(&store.forest.arena, &mut self.roots, self.seat.standing(), root, hash) {
            Inserted::Seen(number) => Ok(Found::Seen(number.into())),
            Inserted::New(number, grow) => {
                if grow {
                    self.seat.request();
                }
                Ok(Found::New(number.into()))
            }
            Inserted::Unsettled => Err(Failure::Unsettled),
            Inserted::NoSlot => Err(Failure::NoSlot(Table::Roots, hash)),
            Inserted::NoMemory => Err(Failure::NoMemory),
        }
    }
}

impl TreeHandle<'_> {
    /// Puts so many states, and says what has become of each; how many were put. Two passes: the roots of all states, with
    /// their slots brought near; the answers.
    #[inline(always)]
    fn put_batch<'b>(
        &mut self,
        count: usize,
        state: impl Fn(usize) -> &'b [u8],
        hash: impl Fn(usize) -> u64,
        mut answer: impl FnMut(usize, Found),
    ) -> usize {
        let mut roots = [(Pair::default(), 0); GROUP];
        for first in (0..count).step_by(GROUP) {
            let end = count.min(first + GROUP);
            for (i, ahead) in (first..end).zip(&mut roots) {
                *ahead = self.look_ahead(state(i), || hash(i));
            }
            for (i, &(root, root_hash)) in (first..end).zip(&roots) {
                // A number never changes, so that a root stays right whatever has grown meanwhile.
                let found = if root == NO_ROOT { None } else { self.put_root(root, root_hash).ok() };
                let found = found.unwrap_or_else(|| self.put(state(i), hash(i)));
                answer(i, found);
                if found == Found::Full {
                    return i;
                }
            }
        }
        count
    }

    /// The root of a state that is soon to be put, where it can be had at once, and its hash; its slot is brought near.
    #[inline(always)]
    fn look_ahead(&mut self, state: &[u8], hash: impl FnOnce() -> u64) -> (Pair, u64) {
        let store = self.store;
        let (root, stop) = self.forest.try_root(&store.forest, self.seat.standing(), state, hash);
        if stop {
            self.seat.request();
        }
        let Some(root) = root else { return (NO_ROOT, 0) };
        let hash = root.hash();
        store.roots.index.prefetch(hash);
        (root, hash)
    }
}

/// Shapes have numbers from 1, so that this is none.
const NO_ROOT: Pair = Pair { left: 0, right: 0, shape: 0 };

impl Handle for TreeHandle<'_> {
    /// The place follows from the state, not from its hash.
    #[inline]
    fn prefetch(&self, _hash: u64) {}

    #[inline]
    fn approach(&mut self, state: &[u8], hash: u64) {
        self.look_ahead(state, || hash);
    }

    fn put(&mut self, state: &[u8], hash: u64) -> Found {
        loop {
            let store = self.store;
            let (resolved, stop) = self.forest.resolve(&store.forest, self.seat.standing(), state, hash);
            if stop {
                self.seat.request();
            }
            let failure = match resolved {
                Resolved::Plain(number, true) => return Found::New(number.into()),
                Resolved::Plain(number, false) => return Found::Seen(number.into()),
                Resolved::Root(root) => match self.put_root(root, root.hash()) {
                    Ok(found) => return found,
                    Err(failure) => failure,
                },
                Resolved::Failed(failure) => failure,
            };
            if let Some(found) = self.slow(failure) {
                return found;
            }
        }
    }

    fn put_all(&mut self, bytes: &[u8], queries: &[Query], answers: &mut Vec<Found>) {
        self.put_batch(queries.len(), |i| queries[i].state(bytes), |i| queries[i].hash, |_, found| answers.push(found));
    }

    fn sift(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        let state = |i: usize| spans[i].state(bytes);
        self.put_batch(spans.len(), state, |i| hash.of(state(i)), fresh_only(fresh))
    }

    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        let store = self.store;
        match self.forest.find(&store.forest, state, hash)? {
            Resolved::Plain(number, _) => Some(number.into()),
            Resolved::Root(root) => store.roots.find(&store.forest.arena, root).map(u64::from),
            Resolved::Failed(_) => None,
        }
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let (forest, arena) = (&self.store.forest, &self.store.forest.arena);
        if arena.checked_place(number).meaning == 0 {
            return arena.read(number);
        }
        let root = PairReader(arena).get_checked(number);
        scratch.clear();
        self.forest.restore(forest, root, scratch);
        scratch
    }

    fn read_run<'a>(&'a self, number: u64, most: usize, scratch: &'a mut Vec<u8>) -> (&'a [u8], usize) {
        let (forest, arena) = (&self.store.forest, &self.store.forest.arena);
        let first = arena.checked_place(number);
        let in_chunk = most.min(arena.rest_of_chunk(number));
        if first.meaning == 0 || in_chunk < 2 {
            let state = self.read(number, scratch);
            return (state, state.len());
        }
        // Pairs of a chunk belong to one shape, and their states have one length.
        scratch.clear();
        for i in 0..in_chunk as u64 {
            self.forest.restore(forest, PairReader(arena).get_checked(number + i), scratch);
        }
        let len = scratch.len() / in_chunk;
        (scratch, len)
    }

    #[inline]
    fn pause(&mut self) {
        if self.seat.wanted() {
            self.park();
        }
    }

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.seat.absent(wait);
        self.forest.refresh(&self.store.forest);
    }
}
