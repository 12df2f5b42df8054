//! What tree compression has below the roots: shapes, nodes, and the sample from which shapes are learnt.
//!
//! The first states of each length are kept as they are; when there are enough, a tree is learnt from them ([`crate::learn`])
//! at a safe point. States of this length that come later become pairs of node numbers, their *roots*; what is done with a
//! root is the business of the store above. The sample stays as it is, so that no number ever changes; it is looked at first.
//! Laarman, van de Pol, Weber, "Parallel recursive state compression for free" (2011), with dense numbers and learnt trees.
//!
//! A worker remembers the last state of each shape with the numbers of its nodes. The next state mostly differs in a few
//! bytes, and only nodes above those are looked up again.
//!
//! Shared between threads: node tables, as in [`crate::pairs`], written rarely after the first seconds; the list of shapes,
//! changed at safe points only, of which every worker has a copy.

use crate::arena::{Arena, OpenChunks};
use crate::budget::Account;
use crate::gate::Standing;
use crate::index::{Index, Inserted, NoKeys};
use crate::learn;
use crate::load::Counts;
use crate::pairs::{Pair, PairReader, Pairs, PairsHandle};
use crate::shape::{Class, GROUP_BYTES, Shape};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// States of a length from which its tree is learnt.
const SAMPLE_STATES: u32 = 8192;
const SAMPLE_BYTES: u32 = 512 << 10;
const SAMPLE_STATES_MIN: u32 = 1024;
/// States that are not longer are kept as they are.
const PLAIN_BYTES_MAX: usize = 4;
const CLASSES: usize = 3;
/// Shapes at most: lengths beyond are kept as they are.
pub(crate) const SHAPES_MAX: usize = 127;
/// States a worker may resolve before they are put.
const AHEAD_MAX: usize = 256;

/// How large the sample for states of a length is.
fn sample_size(len: usize) -> u32 {
    (SAMPLE_BYTES / len.max(1) as u32).clamp(SAMPLE_STATES_MIN, SAMPLE_STATES)
}

/// Shapes and samples, by length of states.
#[derive(Default)]
struct Lengths {
    /// States kept as they are.
    plain: HashMap<usize, u32>,
    /// Numbers of shapes, from 1.
    shapes: Vec<Arc<Shape>>,
    /// Lengths whose sample is complete.
    complete: Vec<usize>,
}

/// The tables below the roots.
pub(crate) struct Forest {
    /// Samples, and whatever else the store above puts there.
    pub(crate) arena: Arena,
    plain: Index<AtomicU64>,
    nodes: [(Pairs, Arena); CLASSES],
    lengths: Mutex<Lengths>,
    /// Number of shapes: a worker sees by it that there are new ones.
    shape_count: AtomicU64,
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
    /// A newcomer must settle first.
    Unsettled,
    /// A table must grow: which, and the hash that found no slot.
    NoSlot(Table, u64),
}

/// A table of a forest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    Plain,
    Nodes(Class),
    /// Of the store above.
    Roots,
}

impl Forest {
    /// An empty forest; `None` when there is no memory at all.
    pub(crate) fn new(account: &Arc<Account>) -> Option<Forest> {
        let nodes = || Some((Pairs::new(account)?, Arena::new(account)?));
        Some(Forest {
            arena: Arena::new(account)?,
            plain: Index::new(account)?,
            nodes: [nodes()?, nodes()?, nodes()?],
            lengths: Mutex::default(),
            shape_count: AtomicU64::new(0),
        })
    }

    pub(crate) fn uncharged_bytes(&self) -> usize {
        self.plain.uncharged_bytes() + self.nodes.iter().map(|(pairs, _)| pairs.uncharged_bytes()).sum::<usize>()
    }

    /// Bytes of samples and nodes with their tables.
    pub(crate) fn parts(&self) -> [(&'static str, u64); 2] {
        let nodes = self.nodes.iter().map(|(pairs, arena)| pairs.bytes() + arena.bytes()).sum();
        [("sample index", self.plain.bytes()), ("nodes", nodes)]
    }

    /// Nodes of each class, for reports.
    pub(crate) fn node_counts(&self) -> [u64; CLASSES] {
        self.nodes.each_ref().map(|(_, arena)| arena.states())
    }

    /// More than every number of a half of a root given so far, left and right.
    pub(crate) fn half_bounds(&self) -> [u64; 2] {
        [Class::Left, Class::Right].map(|class| self.nodes[class as usize].1.bound())
    }

    /// How many shapes there are; their numbers begin at 1.
    pub(crate) fn shapes(&self) -> u64 {
        self.shape_count.load(Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Lengths> {
        self.lengths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shape with this number.
    pub(crate) fn shape(&self, number: u32) -> Option<Arc<Shape>> {
        self.lock().shapes.get((number as usize).checked_sub(1)?).cloned()
    }

    /// Puts the state of a root together.
    ///
    /// # Panics
    /// Panics when the root was never given.
    pub(crate) fn restore(&self, shape: &Shape, root: Pair, values: &mut Vec<u32>, out: &mut Vec<u8>) {
        shape.restore(root, values, out, |class, number| {
            PairReader(&self.nodes[class as usize].1).get_checked(u64::from(number))
        });
    }

    /// The first part of a stop, by one worker: learns shapes for the lengths whose samples are complete.
    pub(crate) fn prepare(&self) {
        self.plain.prepare();
        for (pairs, _) in &self.nodes {
            pairs.prepare();
        }
        let mut lengths = self.lock();
        for len in std::mem::take(&mut lengths.complete) {
            if lengths.shapes.len() == SHAPES_MAX || lengths.shapes.iter().any(|shape| shape.len == len) {
                continue;
            }
            let mut sample = Vec::new();
            self.arena.each(&mut |_, meaning, state| {
                if meaning == 0 && state.len() == len {
                    sample.extend_from_slice(state);
                }
            });
            lengths.shapes.push(Arc::new(learn::shape(len, &sample)));
        }
        self.shape_count.store(lengths.shapes.len() as u64, Release);
    }

    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self) {
        // SAFETY: by the caller.
        unsafe {
            self.plain.work(&NoKeys);
            for (pairs, arena) in &self.nodes {
                pairs.work(arena);
            }
        }
    }

    /// Notes that a table must grow at the next stop.
    #[cold]
    pub(crate) fn overflow(&self, table: Table, hash: u64) {
        match table {
            Table::Plain => self.plain.overflow(hash),
            Table::Nodes(class) => self.nodes[class as usize].0.overflow(hash),
            Table::Roots => {}
        }
    }

    /// Changes when the table grows.
    pub(crate) fn size_for(&self, table: Table, hash: u64) -> u32 {
        match table {
            Table::Plain => self.plain.size_for(hash),
            Table::Nodes(class) => self.nodes[class as usize].0.size_for(hash),
            Table::Roots => 0,
        }
    }
}

/// The last state of a shape, as a worker remembers it.
struct Track {
    number: u32,
    shape: Arc<Shape>,
    /// The bytes, and zeros up to a whole group and one more.
    last: Vec<u8>,
    /// Values of words and numbers of nodes; right for `last` where `valid`.
    values: Vec<u32>,
    /// Items to be computed again.
    dirty: Vec<u64>,
    valid: bool,
}

/// States that were resolved before they are put, in order.
#[derive(Default)]
struct Ahead {
    /// Their bytes, one after the other.
    bytes: Vec<u8>,
    /// Where each ends, and its root.
    roots: Vec<(usize, Pair)>,
    /// How many of them were put.
    taken: usize,
    /// Where the next one begins.
    start: usize,
}

impl Ahead {
    fn clear(&mut self) {
        self.bytes.clear();
        self.roots.clear();
        self.taken = 0;
        self.start = 0;
    }

    fn push(&mut self, state: &[u8], root: Pair) {
        if self.taken == self.roots.len() || self.roots.len() == AHEAD_MAX {
            self.clear();
        }
        self.bytes.extend_from_slice(state);
        self.roots.push((self.bytes.len(), root));
    }

    /// The root of a state, when it is the next one, or one behind it.
    #[inline(always)]
    fn take(&mut self, state: &[u8]) -> Option<Pair> {
        while let Some(&(end, root)) = self.roots.get(self.taken) {
            let bytes = &self.bytes[self.start..end];
            self.taken += 1;
            self.start = end;
            if bytes == state {
                return Some(root);
            }
        }
        None
    }
}

/// Entries of a memo.
const MEMO_ENTRIES: usize = 2048;

/// Nodes a worker has lately looked up. Numbers never change, so that an entry is right for ever.
struct Memo(Box<[(Pair, u32); MEMO_ENTRIES]>);

impl Memo {
    fn new() -> Memo {
        Memo(Box::new([(Pair::default(), 0); MEMO_ENTRIES]))
    }

    #[inline(always)]
    fn place(class: Class, hash: u64) -> usize {
        (hash as usize ^ class as usize) & (MEMO_ENTRIES - 1)
    }

    /// Entries keep the class where pairs have their shape: that of inner nodes is always 0.
    #[inline(always)]
    fn get(&self, class: Class, pair: Pair, hash: u64) -> Option<u32> {
        let (kept, number) = self.0[Memo::place(class, hash)];
        (number != 0 && kept == Pair { shape: class as u32, ..pair }).then_some(number)
    }

    #[inline(always)]
    fn set(&mut self, class: Class, pair: Pair, hash: u64, number: u32) {
        self.0[Memo::place(class, hash)] = (Pair { shape: class as u32, ..pair }, number);
    }
}

/// What a worker keeps of a forest.
pub(crate) struct ForestHandle {
    ahead: Ahead,
    /// Positions in `tracks` by length, plus one.
    by_len: Vec<u32>,
    tracks: Vec<Track>,
    chunks: OpenChunks,
    counts: Counts,
    memo: Memo,
    nodes: [PairsHandle; CLASSES],
    /// States kept as they are, by length, that are not counted yet.
    plain: HashMap<usize, u32>,
    /// For the values of items while a state is put together.
    scratch: RefCell<Vec<u32>>,
}

impl ForestHandle {
    pub(crate) fn new(forest: &Forest) -> ForestHandle {
        let mut handle = ForestHandle {
            ahead: Ahead::default(),
            by_len: Vec::new(),
            tracks: Vec::new(),
            chunks: OpenChunks::default(),
            counts: Counts::new(),
            memo: Memo::new(),
            nodes: [PairsHandle::new(false), PairsHandle::new(false), PairsHandle::new(false)],
            plain: HashMap::new(),
            scratch: RefCell::default(),
        };
        handle.refresh(forest);
        handle
    }

    /// Takes notice of new shapes; to be called after every stop.
    pub(crate) fn refresh(&mut self, forest: &Forest) {
        if forest.shapes() == self.tracks.len() as u64 {
            return;
        }
        let lengths = forest.lock();
        for (at, shape) in lengths.shapes.iter().enumerate().skip(self.tracks.len()) {
            if self.by_len.len() <= shape.len {
                self.by_len.resize(shape.len + 1, 0);
            }
            self.by_len[shape.len] = at as u32 + 1;
            self.tracks.push(Track {
                number: at as u32 + 1,
                last: vec![0; shape.len.next_multiple_of(GROUP_BYTES) + 1],
                values: vec![0; shape.items()],
                dirty: vec![0; shape.blocks],
                valid: false,
                shape: shape.clone(),
            });
        }
    }

    /// The shape of a root that this worker may know.
    pub(crate) fn shape(&self, number: u32) -> Option<&Arc<Shape>> {
        self.tracks.get((number as usize).checked_sub(1)?).map(|track| &track.shape)
    }

    /// The state of a root this worker or another one has made.
    ///
    /// # Panics
    /// Panics when the root was never given.
    pub(crate) fn restore(&self, forest: &Forest, root: Pair, out: &mut Vec<u8>) {
        let mut values = self.scratch.borrow_mut();
        match self.shape(root.shape) {
            Some(shape) => forest.restore(shape, root, &mut values, out),
            None => panic!("no state has this number"),
        }
    }

    /// What a state is under, where all its parts are known; nothing is stored.
    pub(crate) fn find(&self, forest: &Forest, state: &[u8], hash: u64) -> Option<Resolved> {
        if let Some(number) = forest.plain.find(hash, |number| forest.arena.holds(number, state)) {
            return Some(Resolved::Plain(number, false));
        }
        let place = *self.by_len.get(state.len())? as usize;
        let Track { shape, number, .. } = self.tracks.get(place.checked_sub(1)?)?;
        let mut values = self.scratch.borrow_mut();
        values.clear();
        let padded = |byte: u32| state.get(byte as usize).copied().unwrap_or(0);
        values.extend(shape.words.iter().map(|from| u32::from_le_bytes(from.map(padded))));
        for (at, [first, second]) in shape.nodes.iter().enumerate() {
            let pair = Pair { left: values[*first as usize], right: values[*second as usize], shape: 0 };
            let (pairs, arena) = &forest.nodes[shape.class(shape.words.len() + at) as usize];
            values.push(pairs.find(arena, pair)?);
        }
        let halves = &values[values.len() - 2..];
        Some(Resolved::Root(Pair { left: halves[0], right: halves[1], shape: *number }))
    }

    /// Brings near what the sample has under this hash.
    #[inline]
    pub(crate) fn prefetch(&self, forest: &Forest, hash: u64) {
        forest.plain.prefetch(hash);
    }

    /// Makes a root of a state, or stores it as it is. True beside it: a stop is wanted.
    #[inline]
    pub(crate) fn resolve(&mut self, forest: &Forest, standing: Standing, state: &[u8], hash: u64) -> (Resolved, bool) {
        match self.by_len.get(state.len()) {
            Some(&place) if place != 0 => {
                if let Some(number) = forest.plain.find(hash, |number| forest.arena.holds(number, state)) {
                    return (Resolved::Plain(number, false), false);
                }
                match self.ahead.take(state) {
                    Some(root) => (Resolved::Root(root), false),
                    None => self.root(forest, standing, place as usize - 1, state),
                }
            }
            _ => self.keep_plain(forest, standing, state, hash),
        }
    }

    /// Makes the root of a state that is soon to be put, so that its place can be brought near. True beside it: a stop is
    /// wanted.
    #[inline]
    pub(crate) fn approach(
        &mut self,
        forest: &Forest,
        standing: Standing,
        state: &[u8],
        hash: u64,
    ) -> (Option<Pair>, bool) {
        forest.plain.prefetch(hash);
        let Some(place) = self.by_len.get(state.len()).filter(|&&place| place != 0) else { return (None, false) };
        match self.root(forest, standing, *place as usize - 1, state) {
            (Resolved::Root(root), stop) => {
                self.ahead.push(state, root);
                (Some(root), stop)
            }
            (_, stop) => (None, stop),
        }
    }

    /// The nodes of a state, without the sample: those of the last one, but for what has changed.
    #[inline]
    fn root(&mut self, forest: &Forest, standing: Standing, at: usize, state: &[u8]) -> (Resolved, bool) {
        let ForestHandle { tracks, nodes, memo, .. } = self;
        let track = &mut tracks[at];
        let Track { shape, last, values, dirty, valid, .. } = track;
        let mut grow = false;
        mark_changes(shape, last, dirty, *valid, state);
        *valid = false;
        let word_count = shape.words.len();
        for block in 0..shape.blocks {
            while dirty[block] != 0 {
                let item = block * 64 + dirty[block].trailing_zeros() as usize;
                dirty[block] &= dirty[block] - 1;
                let value = if item < word_count {
                    shape.word(item, last)
                } else {
                    let [first, second] = shape.nodes[item - word_count];
                    let pair = Pair { left: values[first as usize], right: values[second as usize], shape: 0 };
                    let class = shape.class(item);
                    let hash = pair.hash();
                    if let Some(number) = memo.get(class, pair, hash) {
                        number
                    } else {
                        let (pairs, arena) = &forest.nodes[class as usize];
                        let number = match pairs.intern(arena, &mut nodes[class as usize], standing, pair, hash) {
                            Inserted::Seen(number) => number,
                            Inserted::New(number, more) => {
                                grow |= more;
                                number
                            }
                            failed => return (Resolved::Failed(failure(failed, Table::Nodes(class), hash)), grow),
                        };
                        memo.set(class, pair, hash, number);
                        number
                    }
                };
                let parent = shape.parents[item] as usize;
                if values[item] != value {
                    values[item] = value;
                    if let Some(block) = dirty.get_mut(parent / 64) {
                        *block |= 1 << (parent % 64);
                    }
                }
            }
        }
        *valid = true;
        let halves = &values[values.len() - 2..];
        (Resolved::Root(Pair { left: halves[0], right: halves[1], shape: track.number }), grow)
    }

    /// Stores a state as it is: its length has no shape yet.
    #[cold]
    fn keep_plain(&mut self, forest: &Forest, standing: Standing, state: &[u8], hash: u64) -> (Resolved, bool) {
        let chunks = &mut self.chunks;
        let inserted = forest.plain.insert(
            hash,
            standing,
            &mut self.counts,
            |number| forest.arena.holds(number, state),
            || chunks.write(state, &forest.arena),
        );
        match inserted {
            Inserted::Seen(number) => (Resolved::Plain(number, false), false),
            Inserted::New(number, grow) => {
                self.chunks.publish(&forest.arena);
                let learn = state.len() > PLAIN_BYTES_MAX && self.count_plain(forest, state.len());
                (Resolved::Plain(number, true), grow | learn)
            }
            failed => (Resolved::Failed(failure(failed, Table::Plain, hash)), false),
        }
    }

    /// Counts a state that is kept as it is; true when that completes the sample of its length.
    fn count_plain(&mut self, forest: &Forest, len: usize) -> bool {
        let kept = self.plain.entry(len).or_insert(0);
        *kept += 1;
        // Counted in portions: lengths that are rare, and many, shall not meet at one lock for each state.
        if *kept < 64 {
            return false;
        }
        let portion = std::mem::take(kept);
        let mut lengths = forest.lock();
        let count = lengths.plain.entry(len).or_insert(0);
        *count += portion;
        let complete = *count >= sample_size(len);
        if complete && !lengths.complete.contains(&len) {
            lengths.complete.push(len);
        }
        complete
    }
}

fn failure(inserted: Inserted, table: Table, hash: u64) -> Failure {
    match inserted {
        Inserted::Unsettled => Failure::Unsettled,
        Inserted::NoSlot => Failure::NoSlot(table, hash),
        _ => Failure::NoMemory,
    }
}

/// Marks the words that differ from the last state, and makes `state` the last one.
#[inline(always)]
fn mark_changes(shape: &Shape, last: &mut [u8], dirty: &mut [u64], valid: bool, state: &[u8]) {
    if !valid {
        dirty.fill(0);
        for item in 0..shape.items() {
            dirty[item / 64] |= 1 << (item % 64);
        }
        last[..state.len()].copy_from_slice(state);
        return;
    }
    let mut groups = state.chunks_exact(GROUP_BYTES);
    let mut group = 0;
    for new in &mut groups {
        let old = &mut last[group * GROUP_BYTES..][..GROUP_BYTES];
        if old != new {
            old.copy_from_slice(new);
            for (block, &words) in dirty.iter_mut().zip(shape.group(group)) {
                *block |= words;
            }
        }
        group += 1;
    }
    let rest = groups.remainder();
    if !rest.is_empty() {
        let old = &mut last[group * GROUP_BYTES..][..rest.len()];
        if old != rest {
            old.copy_from_slice(rest);
            for (block, &words) in dirty.iter_mut().zip(shape.group(group)) {
                *block |= words;
            }
        }
    }
}
