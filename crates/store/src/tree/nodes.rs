//! Tree compression below the roots: shapes, nodes, and the sample from which shapes are learnt.
//!
//! How states are cut is learnt ([`crate::tree::learn`]) from a sample that is given beforehand, for states of all lengths at once
//! ([`crate::tree::plan`]); the shape of a length is made at a safe point when the first state of that length is met. States become
//! pairs of numbers, their *roots*; the store above keeps the roots. Where no sample is given,
//! the first states are kept as they are, and the plan is learnt from them. They stay as they are, so that no number ever
//! changes; a small filter excludes nearly all other states.
//! Laarman, van de Pol, Weber, "Parallel recursive state compression for free" (2011), with dense numbers, learnt trees and
//! wide leaves.
//!
//! A length has two shapes: one of what varies, and one of all bits for states that do not fit the first; which one a state has
//! follows from the state.
//!
//! States of two leaves go through in groups ([`crate::tree::two_leaf`]). Of longer states a worker keeps the last one of each
//! shape with the numbers of its items. The next state mostly differs in a few bytes, and only leaves that have those, and
//! nodes above, are looked up again: first in the worker's own cache, which has nearly all of them, then in the table
//! that is shared.
//!
//! Shared between threads: tables of leaves and nodes, as in [`crate::table::interned`], written rarely after the first seconds; the
//! filter, written while samples are collected; the list of shapes, changed at safe points only, of which every worker has a
//! copy.

use crate::memory::arena::{Arena, OpenChunks};
use crate::memory::budget::Account;
use crate::safepoint::gate::Standing;
use crate::table::index::{Index, Inserted, NoKeys};
use crate::table::interned::{Interned, InternedHandle};
use crate::table::load::Counts;
use crate::table::state_cache::StateCache;
use crate::tree::key::{KEY_WORDS, Key, WORD_BYTES};
use crate::tree::learn;
use crate::tree::node_cache::{CachedNode, NodeCache, kind};
use crate::tree::pairs::Pair;
use crate::tree::plan::Plan;
use crate::tree::shape::{Class, Coverage, Scratch, TreeShape, word};
use crate::tree::two_leaf::{NO_ROOT, Set, Tables, TwoLeafPath, Waiting, places};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// States from which trees are learnt where no sample is given.
const SAMPLE_STATES: u32 = 2048;
/// States that are not longer are kept as they are.
const PLAIN_BYTES_MAX: usize = 4;
const CLASSES: usize = 3;
/// Shapes at most: lengths beyond are kept as they are.
pub(crate) const SHAPES_MAX: usize = 127;
/// Bits of the filter of states that may be in a sample.
const FILTER_BITS: usize = 1 << 17;

/// Different states that a sample given beforehand must have.
const TRAINING_STATES_MIN: usize = 256;

/// The plan learnt from a sample, where it has enough states.
fn trained(sample: &[Vec<u8>]) -> Option<Plan> {
    // Of a small state space there are many repetitions, and nothing to be learnt.
    let distinct: BTreeSet<&[u8]> =
        sample.iter().map(Vec::as_slice).filter(|state| state.len() > PLAIN_BYTES_MAX).collect();
    let enough = distinct.len() >= TRAINING_STATES_MIN;
    enough.then(|| learn::plan(&distinct.into_iter().collect::<Vec<_>>()))
}

/// The plan, and shapes by length of states.
#[derive(Default)]
struct Lengths {
    /// How states are cut; none as long as there is no sample.
    plan: Option<Plan>,
    /// Numbers of shapes, from 1.
    shapes: Vec<Arc<TreeShape>>,
    /// Shapes to be made at the next stop.
    wanted: Vec<(usize, Coverage)>,
    /// States kept as they are that are longer than [`PLAIN_BYTES_MAX`], but for what workers have not counted yet.
    plain: u32,
}

/// The tables below the roots, shared by all workers.
pub(crate) struct TreeNodes {
    /// Samples, and whatever else the store above puts there.
    pub(crate) arena: Arena,
    plain: Index<AtomicU64>,
    nodes: [Interned; CLASSES],
    /// A bit is set for each state of a sample; and whether there is one.
    filter: Box<[AtomicU64]>,
    has_sample: AtomicBool,
    lengths: Mutex<Lengths>,
    /// Number of shapes: a worker sees by it that there are new ones.
    shape_count: AtomicU64,
    /// Whether there is a plan: changed at safe points only.
    has_plan: AtomicBool,
    account: Arc<Account>,
}

/// What a state has become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resolved {
    /// A root.
    Root(Pair),
    /// It is kept as it is, under this number of the arena; true when it was not there before.
    Plain(u32, bool),
    /// It cannot be done now.
    Failed(Failure),
}

/// Why something cannot be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// There is no memory left.
    NoMemory,
    /// The worker must synchronize with an exclusive one first.
    NotSynchronized,
    /// There is no shape yet for states of this length.
    NoShape(usize, Coverage),
    /// A table must grow: which, and the hash that found no slot.
    NoSlot(Table, u64),
}

/// A table that may have to grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    Plain,
    Nodes(Class),
    /// The root table of the store above.
    Roots,
}

impl TreeNodes {
    /// Empty tables; `None` when there is no memory at all. How states are cut is learnt from the sample where it has
    /// enough of them.
    pub(crate) fn new(account: &Arc<Account>, sample: &[Vec<u8>]) -> Option<TreeNodes> {
        let nodes = || Interned::new(account);
        let plan = trained(sample);
        Some(TreeNodes {
            arena: Arena::new(account)?,
            plain: Index::new(account)?,
            nodes: [nodes()?, nodes()?, nodes()?],
            filter: (0..FILTER_BITS / 64).map(|_| AtomicU64::new(0)).collect(),
            has_sample: AtomicBool::new(false),
            shape_count: AtomicU64::new(0),
            has_plan: AtomicBool::new(plan.is_some()),
            lengths: Mutex::new(Lengths { plan, ..Lengths::default() }),
            account: account.clone(),
        })
    }

    pub(crate) fn uncharged_bytes(&self) -> usize {
        let tables: usize = self.nodes.iter().map(|table| table.index.uncharged_bytes()).sum();
        self.plain.uncharged_bytes() + tables + FILTER_BITS / 8
    }

    /// Bytes of samples, and of leaves and nodes with their tables.
    pub(crate) fn parts(&self) -> [(&'static str, u64); 4] {
        let [left, right, inner] = self.nodes.each_ref().map(Interned::bytes);
        [("sample index", self.plain.bytes()), ("left halves", left), ("right halves", right), ("inner nodes", inner)]
    }

    /// Leaves and nodes of each class, for reports.
    pub(crate) fn node_counts(&self) -> [u64; CLASSES] {
        self.nodes.each_ref().map(Interned::count)
    }

    /// More than every number of a half of a root given so far, left and right.
    pub(crate) fn half_bounds(&self) -> [u64; 2] {
        [Class::Left, Class::Right].map(|class| self.nodes[class as usize].bound())
    }

    /// How many shapes there are; their numbers begin at 1.
    pub(crate) fn shapes(&self) -> u64 {
        self.shape_count.load(Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Lengths> {
        self.lengths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shape with this number.
    pub(crate) fn shape(&self, number: u32) -> Option<Arc<TreeShape>> {
        self.lock().shapes.get((number as usize).checked_sub(1)?).cloned()
    }

    /// Puts the state of a root together, behind what is in `out`.
    ///
    /// # Panics
    /// Panics when the root was never given.
    pub(crate) fn restore(&self, shape: &TreeShape, root: Pair, scratch: &mut Scratch, out: &mut Vec<u8>) {
        shape.restore(root, scratch, out, |class, number| self.nodes[class as usize].get(number));
    }

    /// Puts the states of some roots of one shape together, one behind the other.
    ///
    /// # Panics
    /// Panics when a root was never given.
    #[inline]
    fn restore_run(
        &self,
        shape: &TreeShape,
        roots: impl Iterator<Item = Pair>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) {
        let Some(layout) = &shape.two_leaf else {
            return roots.for_each(|root| self.restore(shape, root, scratch, out));
        };
        let ([lefts, rights, _], engine) = (&self.nodes, shape.engine);
        macro_rules! by_words {
            ($($words:literal)*) => {
                match (layout.row_words(), layout.key_words()) {
                    $(($words, _) => for root in roots {
                        let keys = [lefts.words(root.left), rights.words(root.right)];
                        // SAFETY: these are its words.
                        unsafe { layout.put::<$words, 1>(keys, out, engine) }
                    },)*
                    (_, 0..=2) => for root in roots {
                        let keys = [lefts.words(root.left), rights.words(root.right)];
                        // SAFETY: as above.
                        unsafe { layout.put::<0, 2>(keys, out, engine) }
                    },
                    _ => for root in roots {
                        let keys = [lefts.words(root.left), rights.words(root.right)];
                        // SAFETY: as above.
                        unsafe { layout.put::<0, KEY_WORDS>(keys, out, engine) }
                    },
                }
            };
        }
        by_words!(1 2 3 4 5 6 7 8 9 10);
    }

    /// The place of a hash in the filter: word and bit.
    #[inline(always)]
    fn filter(&self, hash: u64) -> (&AtomicU64, u64) {
        let bit = hash as usize % FILTER_BITS;
        (&self.filter[bit / 64], 1 << (bit % 64))
    }

    /// The number of a state that is in a sample.
    #[inline(always)]
    fn sampled(&self, state: &[u8], hash: u64) -> Option<u32> {
        let (word, bit) = self.filter(hash);
        if word.load(Relaxed) & bit == 0 {
            return None;
        }
        self.plain.find(hash, |number| self.arena.holds(number, state))
    }

    /// The first part of a stop, by one worker: makes the shapes that were requested, and a plan when there are enough states.
    pub(crate) fn prepare(&self) {
        self.plain.prepare();
        self.nodes.iter().for_each(|table| table.index.prepare());
        let mut lengths = self.lock();
        if lengths.plan.is_none() && lengths.plain >= SAMPLE_STATES {
            let mut sample: Vec<Vec<u8>> = Vec::new();
            self.arena.each(&mut |_, meaning, state| {
                if meaning == 0 && state.len() > PLAIN_BYTES_MAX {
                    sample.push(state.to_vec());
                }
            });
            lengths.plan = Some(learn::plan(&sample.iter().map(Vec::as_slice).collect::<Vec<_>>()));
            self.has_plan.store(true, Release);
        }
        let Lengths { plan, shapes, wanted, .. } = &mut *lengths;
        for (len, coverage) in std::mem::take(wanted) {
            // Where so little varies that there is nothing to be left out, the shape of what varies has everything.
            let is_there = |shape: &Arc<TreeShape>| shape.len == len && shape.coverage >= coverage;
            if let Some(plan) = plan.as_ref().filter(|_| shapes.len() < SHAPES_MAX)
                && !shapes.iter().any(is_there)
            {
                shapes.push(Arc::new(plan.shape(len, coverage)));
            }
        }
        self.shape_count.store(shapes.len() as u64, Release);
    }

    /// Notes that states of this length need a shape, which the next stop makes.
    #[cold]
    pub(crate) fn want_shape(&self, len: usize, coverage: Coverage) {
        self.lock().wanted.push((len, coverage));
    }

    /// Whether states of a length that has no shape can have one.
    fn makes_shapes(&self, len: usize) -> bool {
        len > PLAIN_BYTES_MAX && self.has_plan.load(Acquire) && self.shapes() < SHAPES_MAX as u64
    }

    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self) {
        // SAFETY: by the caller.
        unsafe {
            self.plain.work(&NoKeys);
            for table in &self.nodes {
                table.work();
            }
        }
    }

    /// Notes that a table must grow at the next stop.
    #[cold]
    pub(crate) fn overflow(&self, table: Table, hash: u64) {
        match table {
            Table::Plain => self.plain.overflow(hash),
            Table::Nodes(class) => self.nodes[class as usize].index.overflow(hash),
            Table::Roots => {}
        }
    }

    /// Changes when the table grows.
    pub(crate) fn size_for(&self, table: Table, hash: u64) -> (u32, u32) {
        match table {
            Table::Plain => self.plain.size_for(hash),
            Table::Nodes(class) => self.nodes[class as usize].index.size_for(hash),
            Table::Roots => (0, 0),
        }
    }
}

/// The last state of a shape that a worker has resolved.
struct LastState {
    number: u32,
    shape: Arc<TreeShape>,
    /// The words of the state, and the keys of its leaves.
    last: Vec<u64>,
    leaves: Vec<Key>,
    /// Numbers of items; right for `last` where `valid`.
    values: Vec<u32>,
    /// Items to be looked up again.
    dirty: Vec<u64>,
    valid: bool,
    /// Caches of the fast path, where states have two leaves and nothing else.
    two_leaf: Option<TwoLeafPath>,
}

/// A worker's access to the nodes.
pub(crate) struct NodesHandle {
    /// Positions in `last_states` by length, for states that fit and for others, plus one.
    by_len: Vec<[u32; 2]>,
    last_states: Vec<LastState>,
    chunks: OpenChunks,
    counts: Counts,
    node_cache: NodeCache,
    nodes: [InternedHandle; CLASSES],
    /// States of more than two leaves that were put a moment ago.
    cache: StateCache,
    /// States kept as they are that are not counted yet.
    plain: u32,
    /// For states that are put together, by shape.
    scratch: RefCell<Vec<Scratch>>,
}

impl NodesHandle {
    pub(crate) fn new(tree: &TreeNodes) -> NodesHandle {
        let mut handle = NodesHandle {
            by_len: Vec::new(),
            last_states: Vec::new(),
            chunks: OpenChunks::default(),
            counts: Counts::new(),
            node_cache: NodeCache::new(&tree.account),
            nodes: [InternedHandle::new(), InternedHandle::new(), InternedHandle::new()],
            cache: StateCache::new(&tree.account),
            plain: 0,
            scratch: RefCell::default(),
        };
        handle.refresh(tree);
        handle
    }

    /// Copies new shapes; to be called after every stop.
    pub(crate) fn refresh(&mut self, tree: &TreeNodes) {
        if tree.shapes() == self.last_states.len() as u64 {
            return;
        }
        let lengths = tree.lock();
        for (at, shape) in lengths.shapes.iter().enumerate().skip(self.last_states.len()) {
            if self.by_len.len() <= shape.len {
                self.by_len.resize(shape.len + 1, [0; 2]);
            }
            let places = &mut self.by_len[shape.len];
            places[shape.coverage as usize] = at as u32 + 1;
            if places[Coverage::Varying as usize] == 0 {
                places[Coverage::Varying as usize] = at as u32 + 1;
            }
            self.scratch.get_mut().push(Scratch::default());
            self.last_states.push(LastState {
                number: at as u32 + 1,
                last: vec![0; shape.words()],
                leaves: vec![Key::default(); shape.leaves.len()],
                values: vec![0; shape.items()],
                dirty: vec![0; shape.blocks],
                valid: false,
                two_leaf: shape.two_leaf.as_ref().map(|layout| {
                    let key_words = if layout.key_words() <= 2 { layout.key_words() } else { KEY_WORDS };
                    TwoLeafPath::new(key_words, &tree.account)
                }),
                shape: shape.clone(),
            });
        }
    }

    /// The shape with this number, if this worker has it.
    pub(crate) fn shape(&self, number: u32) -> Option<&Arc<TreeShape>> {
        self.last_states.get((number as usize).checked_sub(1)?).map(|last_state| &last_state.shape)
    }

    /// The state of a root this worker or another one has made, behind what is in `out`.
    ///
    /// # Panics
    /// Panics when the root was never given.
    pub(crate) fn restore(&self, tree: &TreeNodes, root: Pair, out: &mut Vec<u8>) {
        let Some(shape) = self.shape(root.shape) else { panic!("no state has this number") };
        let mut scratch = self.scratch.borrow_mut();
        tree.restore(shape, root, &mut scratch[root.shape as usize - 1], out);
    }

    /// The states of some roots of one shape, which has this number, in the place of what is in `out`; how long each is.
    ///
    /// # Panics
    /// Panics when a root was never given.
    pub(crate) fn restore_run(
        &self,
        tree: &TreeNodes,
        number: u32,
        roots: impl Iterator<Item = Pair>,
        out: &mut Vec<u8>,
    ) -> usize {
        let Some(shape) = self.shape(number) else { panic!("no state has this number") };
        let mut scratch = self.scratch.borrow_mut();
        out.clear();
        tree.restore_run(shape, roots, &mut scratch[number as usize - 1], out);
        shape.len
    }

    /// Which last_state a state has; what shape is missing where it has none.
    #[inline(always)]
    fn track_of(&self, state: &[u8]) -> Result<usize, Coverage> {
        let [varying, all] = *self.by_len.get(state.len()).unwrap_or(&[0; 2]);
        let at = (varying as usize).checked_sub(1).ok_or(Coverage::Varying)?;
        if self.last_states[at].shape.fits(state) {
            return Ok(at);
        }
        (all as usize).checked_sub(1).ok_or(Coverage::All)
    }

    /// What a state is under, where all its parts are known; nothing is stored.
    pub(crate) fn find(&self, tree: &TreeNodes, state: &[u8], hash: u64) -> Option<Resolved> {
        if let Some(number) = tree.sampled(state, hash) {
            return Some(Resolved::Plain(number, false));
        }
        let LastState { shape, number, .. } = &self.last_states[self.track_of(state).ok()?];
        let keys = shape.keys(state);
        let mut values = vec![0; shape.items()];
        for item in 0..shape.items() {
            let key = shape.key(item, &keys, &values);
            let words = key.trimmed(shape.key_words(item));
            values[item] = tree.nodes[shape.class(item) as usize].find(&key, words)?;
        }
        let [left, right] = shape.halves.map(|half| values[half as usize]);
        Some(Resolved::Root(Pair { left, right, shape: *number }))
    }

    /// Makes a root of a state, or stores it as it is. The flag is true when a stop is needed.
    pub(crate) fn resolve(
        &mut self,
        tree: &TreeNodes,
        standing: Standing,
        state: &[u8],
        hash: u64,
    ) -> (Resolved, bool) {
        if let Some(number) = tree.sampled(state, hash) {
            return (Resolved::Plain(number, false), false);
        }
        match self.track_of(state) {
            Ok(at) => self.root(tree, standing, at, state),
            Err(coverage) if tree.makes_shapes(state.len()) => {
                (Resolved::Failed(Failure::NoShape(state.len(), coverage)), false)
            }
            Err(_) => self.keep_plain(tree, standing, state, hash),
        }
    }

    /// The last_state of states of a length that fit.
    #[inline(always)]
    fn varying(&self, len: usize) -> Option<usize> {
        (self.by_len.get(len)?[Coverage::Varying as usize] as usize).checked_sub(1)
    }

    /// Clears the caches of states, because states that were noted could not be put.
    #[cold]
    pub(crate) fn forget(&mut self) {
        self.cache.clear();
        self.last_states.iter_mut().filter_map(|last_state| last_state.two_leaf.as_mut()).for_each(TwoLeafPath::forget);
    }

    /// The roots of some states of a group (`which`) that have one length and are soon to be put; [`NO_ROOT`] for those that
    /// must be resolved. Those that were put before may be left out (`skips`). True: a stop is needed. Hashes are computed
    /// only where they are needed.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "a group is several of them")]
    pub(crate) fn roots<'b>(
        &mut self,
        tree: &TreeNodes,
        standing: Standing,
        (which, len): (Set, usize),
        state: impl Fn(usize) -> &'b [u8],
        hash: impl Fn(usize) -> u64,
        skips: bool,
        waiting: &mut Waiting,
    ) -> bool {
        let at = self.varying(len);
        let Some(LastState { shape, two_leaf: Some(two_leaf), number, .. }) =
            at.and_then(|at| self.last_states.get_mut(at))
        else {
            return self.single_roots(tree, standing, which, &state, &hash, skips, waiting);
        };
        let [lefts, rights, _] = &tree.nodes;
        let handles = &mut self.nodes;
        let mut tables = Tables { halves: [lefts, rights], handles, standing, shape: *number, stop: false };
        let Some(layout) = &shape.two_leaf else { unreachable!("there are two_leaf") };
        let form = (layout, shape.engine);
        macro_rules! by_words {
            ($($words:literal)*) => {
                // SAFETY: the states are of one length, and the layout is that of their shape, with these words.
                unsafe {
                    match (layout.row_words(), layout.key_words()) {
                        $(($words, _) =>
                            two_leaf.resolve::<$words, 1, 2>(form, &mut tables, which, &state, skips, waiting),)*
                        (_, 1) => two_leaf.resolve::<0, 1, 2>(form, &mut tables, which, &state, skips, waiting),
                        (_, 2) => two_leaf.resolve::<0, 2, 4>(form, &mut tables, which, &state, skips, waiting),
                        _ => two_leaf.resolve::<0, KEY_WORDS, { 2 * KEY_WORDS }>(
                            form, &mut tables, which, &state, skips, waiting,
                        ),
                    }
                }
            };
        }
        let misfits = by_words!(1 2 3 4 5 6 7 8 9 10);
        let mut stop = tables.stop;
        for place in places(misfits) {
            let (found, more) = self.try_root(tree, standing, state(place));
            waiting.add(place, found);
            stop |= more;
        }
        if tree.has_sample.load(Relaxed) {
            for place in places(waiting.set & which) {
                if tree.sampled(state(place), hash(place)).is_some() {
                    waiting.roots[place] = NO_ROOT;
                }
            }
        }
        stop
    }

    /// The same for states of more than two leaves.
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "as above")]
    fn single_roots<'b>(
        &mut self,
        tree: &TreeNodes,
        standing: Standing,
        which: Set,
        state: &impl Fn(usize) -> &'b [u8],
        hash: &impl Fn(usize) -> u64,
        skips: bool,
        waiting: &mut Waiting,
    ) -> bool {
        let mut stop = false;
        for place in places(which) {
            let (state, hash) = (state(place), hash(place));
            let mut cache = self.cache.table(state.len()).filter(|_| skips);
            // SAFETY: no words are promised.
            if cache.as_mut().is_some_and(|table| unsafe { table.note::<0>(state, hash) }) {
                continue;
            }
            if let Some(table) = cache {
                table.count_misses(1);
            }
            let (found, more) =
                if tree.sampled(state, hash).is_some() { (None, false) } else { self.try_root(tree, standing, state) };
            waiting.add(place, found);
            stop |= more;
        }
        stop
    }

    /// The root of a state that is not in a sample, unless it must wait for a stop. The flag is true when a stop is needed.
    fn try_root(&mut self, tree: &TreeNodes, standing: Standing, state: &[u8]) -> (Option<Pair>, bool) {
        let Ok(at) = self.track_of(state) else { return (None, false) };
        match self.root(tree, standing, at, state) {
            (Resolved::Root(root), stop) => (Some(root), stop),
            (_, stop) => (None, stop),
        }
    }

    /// The root of a state that is not in the sample. The flag is true when a stop is needed.
    #[inline]
    fn root(&mut self, tree: &TreeNodes, standing: Standing, at: usize, state: &[u8]) -> (Resolved, bool) {
        let NodesHandle { last_states, nodes, node_cache, .. } = self;
        let LastState { shape, last, leaves, values, dirty, valid, number, .. } = &mut last_states[at];
        let mut look = Look { tree, nodes, node_cache, standing, grow: false };
        mark_changes(shape, last, leaves, dirty, *valid, state);
        let changed = change(shape, &mut look, leaves, values, dirty);
        *valid = changed.is_ok();
        let resolved = match changed {
            Ok(()) => {
                let [left, right] = shape.halves.map(|half| values[half as usize]);
                Resolved::Root(Pair { left, right, shape: *number })
            }
            Err(failure) => Resolved::Failed(failure),
        };
        (resolved, look.grow)
    }

    /// Stores a state as it is: its length has no shape yet.
    #[cold]
    fn keep_plain(&mut self, tree: &TreeNodes, standing: Standing, state: &[u8], hash: u64) -> (Resolved, bool) {
        let (word, bit) = tree.filter(hash);
        if word.load(Relaxed) & bit == 0 {
            // Before the state itself, so that every worker that sees the state sees the flag.
            tree.has_sample.store(true, Relaxed);
            word.fetch_or(bit, Relaxed);
        }
        let chunks = &mut self.chunks;
        let inserted = tree.plain.insert(
            hash,
            standing,
            &mut self.counts,
            |number| tree.arena.holds(number, state),
            || chunks.write(state, &tree.arena),
        );
        match inserted {
            Inserted::Seen(number) => (Resolved::Plain(number, false), false),
            Inserted::New(number, grow) => {
                self.chunks.publish(&tree.arena);
                let learn = state.len() > PLAIN_BYTES_MAX && self.count_plain(tree);
                (Resolved::Plain(number, true), grow | learn)
            }
            failed => (Resolved::Failed(failure(failed, Table::Plain, hash)), false),
        }
    }

    /// Counts a state that is kept as it is; true when there are enough to learn from.
    fn count_plain(&mut self, tree: &TreeNodes) -> bool {
        self.plain += 1;
        // Counted in portions, so that workers do not meet at one lock for each state.
        if self.plain < 64 || tree.has_plan.load(Relaxed) {
            return false;
        }
        let mut lengths = tree.lock();
        lengths.plain += std::mem::take(&mut self.plain);
        lengths.plain >= SAMPLE_STATES
    }
}

fn failure(inserted: Inserted, table: Table, hash: u64) -> Failure {
    match inserted {
        Inserted::NotSynchronized => Failure::NotSynchronized,
        Inserted::NoSlot => Failure::NoSlot(table, hash),
        _ => Failure::NoMemory,
    }
}

/// What is needed to look keys up.
struct Look<'a> {
    tree: &'a TreeNodes,
    nodes: &'a mut [InternedHandle; CLASSES],
    node_cache: &'a mut NodeCache,
    standing: Standing,
    /// A table should grow.
    grow: bool,
}

impl Look<'_> {
    /// The number of a key.
    #[inline(always)]
    fn number(&mut self, class: Class, key: Key, bytes: usize) -> Result<u32, Failure> {
        let hash = key.hash(bytes);
        let kind = kind(class, bytes);
        let known = self.node_cache.entry(kind, hash);
        if known.key == key && known.kind == kind {
            return Ok(known.number);
        }
        let number = self.intern(class, &key, bytes, hash)?;
        self.node_cache.add(CachedNode { key, kind, number }, hash);
        Ok(number)
    }

    /// The number of a key that is not in the cache.
    #[inline(never)]
    fn intern(&mut self, class: Class, key: &Key, bytes: usize, hash: u64) -> Result<u32, Failure> {
        let at = class as usize;
        let number = match self.tree.nodes[at].intern(&mut self.nodes[at], self.standing, key, bytes, hash) {
            Inserted::Seen(number) => number,
            Inserted::New(number, more) => {
                self.grow |= more;
                number
            }
            failed => return Err(failure(failed, Table::Nodes(class), hash)),
        };
        Ok(number)
    }
}

/// Looks up again what is marked, and what is above it where numbers have changed.
#[inline]
fn change(
    shape: &TreeShape,
    look: &mut Look<'_>,
    leaves: &[Key],
    values: &mut [u32],
    dirty: &mut [u64],
) -> Result<(), Failure> {
    for block in 0..shape.blocks {
        while dirty[block] != 0 {
            let item = block * 64 + dirty[block].trailing_zeros() as usize;
            dirty[block] &= dirty[block] - 1;
            let key = shape.key(item, leaves, values);
            let number = look.number(shape.class(item), key, key.trimmed(shape.key_words(item)))?;
            if values[item] != number {
                values[item] = number;
                let parent = shape.parents[item] as usize;
                if let Some(block) = dirty.get_mut(parent / 64) {
                    *block |= 1 << (parent % 64);
                }
            }
        }
    }
    Ok(())
}

/// Marks the leaves that differ from those of the last state, and makes `state` the last one.
#[inline(always)]
fn mark_changes(shape: &TreeShape, last: &mut [u64], leaves: &mut [Key], dirty: &mut [u64], valid: bool, state: &[u8]) {
    if !valid {
        dirty.fill(0);
        for item in 0..shape.items() {
            dirty[item / 64] |= 1 << (item % 64);
        }
    }
    let Some((end, whole)) = last.split_last_mut() else { return };
    let (chunks, _) = state.as_chunks::<WORD_BYTES>();
    for (at, (old, new)) in whole.iter_mut().zip(chunks).enumerate() {
        let new = u64::from_le_bytes(*new);
        if *old != new {
            *old = new;
            shape.change_word(at, new, leaves, dirty);
        }
    }
    let new = word(state, whole.len() * WORD_BYTES);
    if *end != new {
        *end = new;
        shape.change_word(whole.len(), new, leaves, dirty);
    }
}
