//! The handle of the tree store and of the compact store: a worker makes roots of states ([`crate::tree::nodes`]), and the store
//! keeps the roots, each in a way of its own.

#![expect(private_bounds, reason = "how roots are kept is private to this crate")]

use crate::safepoint::gate::{Gate, Maintenance, Standing};
use crate::safepoint::registration::Registration;
use crate::tree::nodes::{Failure, NodesHandle, Resolved, Table, TreeNodes};
use crate::tree::pairs::Pair;
use crate::tree::two_leaf::{GROUP, NO_ROOT, Set, Waiting, places};
use ferrospin_system::{Found, Fresh, Handle, Query, Span, StateHash};
use std::mem::MaybeUninit;

/// How a store keeps roots. The *key* of a root is what it is found by.
pub(crate) trait Roots: Maintenance + Sync {
    /// What a worker keeps for it.
    type Own: Send;

    /// A key, and where it is.
    type Near: Copy;

    /// What is below the roots.
    fn nodes(&self) -> &TreeNodes;

    /// Brings the place of a root near; `None` when there is no key for it yet, see [`Roots::outgrow`].
    fn approach(&self, root: Pair) -> Option<Self::Near>;

    /// Requests wider keys, which fit all roots, for the next stop.
    fn outgrow(&self);

    /// Looks a root up and stores it where it is missing. True: a stop is needed.
    ///
    /// # Safety
    /// The root was approached, and there was no safe point since.
    unsafe fn put(
        &self,
        own: &mut Self::Own,
        standing: Standing,
        root: Pair,
        near: Self::Near,
    ) -> Result<(Found, bool), Failure>;

    /// The number of a root that is there.
    fn find(&self, root: Pair) -> Option<u64>;

    /// The root of a state by its number; or its number in the arena, where it is kept as it is.
    fn root(&self, number: u64) -> Result<Pair, u64>;

    /// The number of a state that is kept as it is, by its number in the arena.
    fn plain(&self, id: u32) -> u64;

    /// Notes that a key found no place, so that the next stop makes more.
    fn overflow(&self, key: u64);

    /// Changes when there are more places for a key.
    fn size_for(&self, key: u64) -> (u32, u32);
}

/// A worker's access to a store of roots.
pub struct RootHandle<'s, S: Roots> {
    store: &'s S,
    registration: Registration<'s>,
    nodes: NodesHandle,
    own: S::Own,
    /// What waits of a group; none before the first.
    waiting: Option<Box<Waiting>>,
}

impl<'s, S: Roots> RootHandle<'s, S> {
    pub(crate) fn new(store: &'s S, gate: &'s Gate, own: S::Own) -> RootHandle<'s, S> {
        let registration = Registration::enter(gate);
        let nodes = NodesHandle::new(store.nodes());
        RootHandle { store, registration, nodes, own, waiting: None }
    }

    /// What cannot be done between two safe points. `None`: try again.
    #[cold]
    fn slow(&mut self, failure: Failure) -> Option<Found> {
        let store = self.store;
        let size = |table, key| match table {
            Table::Roots => store.size_for(key),
            table => store.nodes().size_for(table, key),
        };
        match failure {
            Failure::NoMemory => Some(Found::Full),
            Failure::NotSynchronized => {
                self.registration.synchronize(store);
                self.nodes.refresh(store.nodes());
                None
            }
            Failure::NoShape(len, coverage) => {
                store.nodes().want_shape(len, coverage);
                self.registration.request();
                self.park();
                None
            }
            Failure::NoSlot(table, key) => {
                let before = size(table, key);
                match table {
                    Table::Roots => store.overflow(key),
                    table => store.nodes().overflow(table, key),
                }
                self.registration.request();
                self.park();
                (size(table, key) == before).then_some(Found::Full)
            }
        }
    }

    /// There is no key for a root. `None`: there is one now.
    #[cold]
    fn outgrow(&mut self, root: Pair) -> Option<Found> {
        self.store.outgrow();
        self.registration.request();
        self.park();
        self.store.approach(root).is_none().then_some(Found::Full)
    }

    fn park(&mut self) {
        self.registration.park(self.store);
        self.nodes.refresh(self.store.nodes());
    }

    /// # Safety
    /// As for [`Roots::put`].
    #[inline(always)]
    unsafe fn put_root(&mut self, root: Pair, near: S::Near) -> Result<Found, Failure> {
        // SAFETY: by the caller.
        let (found, stop) = unsafe { self.store.put(&mut self.own, self.registration.standing(), root, near)? };
        if stop {
            self.registration.request();
        }
        Ok(found)
    }

    /// Puts `count` states, and answers for each, except for those that may be left out because they were put a moment ago
    /// (`skips`); how many were put. Two passes: the roots of a group, with their places prefetched; the answers.
    #[inline(always)]
    fn put_batch<'b>(
        &mut self,
        count: usize,
        state: impl Fn(usize) -> &'b [u8],
        hash: impl Fn(usize) -> u64,
        skips: bool,
        mut answer: impl FnMut(usize, Found),
    ) -> usize {
        let mut waiting = std::mem::take(&mut self.waiting).unwrap_or_else(|| Box::new(Waiting::new()));
        let mut put = count;
        'groups: for first in (0..count).step_by(GROUP) {
            let len = GROUP.min(count - first);
            let (state, hash) = (|i| state(first + i), |i| hash(first + i));
            self.find_roots(len, state, hash, skips, &mut waiting);
            let mut nears = [const { MaybeUninit::<Option<S::Near>>::uninit() }; GROUP];
            for place in places(waiting.set) {
                let root = waiting.roots[place];
                nears[place].write(if root == NO_ROOT { None } else { self.store.approach(root) });
            }
            // A number never changes, so that a root stays right whatever happens; what is near may not.
            let mut fresh = true;
            for i in places(waiting.set) {
                // SAFETY: there is one for each that waits.
                let found = match unsafe { nears[i].assume_init_ref() } {
                    // SAFETY: no safe point was passed: only the slow path below passes one.
                    Some(near) if fresh => unsafe { self.put_root(waiting.roots[i], *near) }.ok(),
                    _ => None,
                };
                let found = found.unwrap_or_else(|| {
                    fresh = false;
                    self.put(state(i), hash(i))
                });
                answer(first + i, found);
                if found == Found::Full {
                    put = first + i;
                    break 'groups;
                }
            }
        }
        self.waiting = Some(waiting);
        put
    }

    /// The roots of a group of states, length by length.
    #[inline(always)]
    fn find_roots<'b>(
        &mut self,
        count: usize,
        state: impl Fn(usize) -> &'b [u8],
        hash: impl Fn(usize) -> u64,
        skips: bool,
        waiting: &mut Waiting,
    ) {
        waiting.set = 0;
        let mut lens = [0; GROUP];
        lens.iter_mut().zip(0..count).for_each(|(len, i)| *len = state(i).len() as u32);
        let mut rest = Set::MAX >> (GROUP - count);
        while rest != 0 {
            let len = lens[rest.trailing_zeros() as usize];
            let which = lens.iter().rev().fold(0, |set, other| set << 1 | Set::from(*other == len)) & rest;
            rest &= !which;
            let (store, standing) = (self.store.nodes(), self.registration.standing());
            if self.nodes.roots(store, standing, (which, len as usize), &state, &hash, skips, waiting) {
                self.registration.request();
            }
        }
    }
}

impl<S: Roots> Handle for RootHandle<'_, S> {
    /// The place follows from the state, not from its hash.
    #[inline]
    fn prefetch(&self, _hash: u64) {}

    fn put(&mut self, state: &[u8], hash: u64) -> Found {
        loop {
            let store = self.store;
            let (resolved, stop) = self.nodes.resolve(store.nodes(), self.registration.standing(), state, hash);
            if stop {
                self.registration.request();
            }
            let refused = match resolved {
                Resolved::Plain(id, true) => return Found::New(store.plain(id)),
                Resolved::Plain(id, false) => return Found::Seen(store.plain(id)),
                // SAFETY: it has just been approached.
                Resolved::Root(root) => match store.approach(root).map(|near| unsafe { self.put_root(root, near) }) {
                    Some(Ok(found)) => return found,
                    Some(Err(failure)) => self.slow(failure),
                    None => self.outgrow(root),
                },
                Resolved::Failed(failure) => self.slow(failure),
            };
            if let Some(found) = refused {
                return found;
            }
        }
    }

    fn put_all(&mut self, bytes: &[u8], queries: &[Query], answers: &mut Vec<Found>) {
        let (state, hash) = (|i: usize| queries[i].state(bytes), |i: usize| queries[i].hash);
        self.put_batch(queries.len(), state, hash, false, |_, found| answers.push(found));
    }

    fn insert_batch(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        let state = |i: usize| spans[i].state(bytes);
        let put = self.put_batch(
            spans.len(),
            state,
            |i| hash.of(state(i)),
            true,
            |i, found| {
                if let Found::New(number) = found {
                    fresh.push(Fresh { index: i as u32, number });
                }
            },
        );
        if put < spans.len() {
            self.nodes.forget();
        }
        put
    }

    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        match self.nodes.find(self.store.nodes(), state, hash)? {
            Resolved::Plain(id, _) => Some(self.store.plain(id)),
            Resolved::Root(root) => self.store.find(root),
            Resolved::Failed(_) => None,
        }
    }

    fn read<'a>(&'a self, number: u64, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let nodes = self.store.nodes();
        match self.store.root(number) {
            Ok(root) => {
                scratch.clear();
                self.nodes.restore(nodes, root, scratch);
                scratch
            }
            Err(id) => nodes.arena.read(id),
        }
    }

    fn read_run<'a>(&'a self, numbers: &[u64], scratch: &'a mut Vec<u8>) -> (&'a [u8], usize) {
        let roots = || numbers.iter().map_while(|&number| self.store.root(number).ok());
        let Some(first) = roots().next() else {
            let state = self.read(numbers[0], scratch);
            return (state, state.len());
        };
        let alike = roots().take_while(|root| root.shape == first.shape);
        let len = self.nodes.restore_run(self.store.nodes(), first.shape, alike, scratch);
        (scratch, len)
    }

    #[inline]
    fn pause(&mut self) {
        if self.registration.wanted() {
            self.park();
        }
    }

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.registration.absent(wait);
        self.nodes.refresh(self.store.nodes());
    }
}
