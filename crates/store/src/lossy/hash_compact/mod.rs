//! Hash compaction: a fingerprint in place of a state (Wolper, Leroy, 1993; Stern, Dill, 1996).
//!
//! A table of cells, each empty or with the fingerprint of a state; a new state is omitted when its fingerprint stands
//! in one of the cells it looks at. [`crate::lossy::omission`] says how often that happens. The table has a fixed size, and
//! [`Found::Full`] is an honest end: a table that forgot fingerprints would visit states again and again.
//!
//! Cells lie in lines of 64 bytes. A state looks at the cells of its line in an order of its own (a start and a step),
//! up to its fingerprint or the first empty cell; from a full line it goes on to another one. So most states need one
//! cache line, and look at hardly more cells than if all were chosen at random. Cell `i` of a line is in word `i % 8`.
//! No cell crosses a word, so widths are those that fill a word: 4 to 10, 12, 16, 21, 32 or 64 bits; the width of the
//! options is rounded up.
//!
//! Line, order and fingerprint come from independent mixes of the hash. Fingerprints of 64 bits come from a hash of
//! their own, or all states with the same hash would be one.
//!
//! Workers share the table without locks. A filled cell never changes, and two workers with the same state go through
//! the same cells; so they meet at the same empty cell, where one exchange succeeds and the other worker finds its
//! fingerprint. Orderings are relaxed: nothing else is reached through a cell.

use crate::lossy::hash_cache::HashCache;
use crate::lossy::omission::{Scheme, cells_per_line};
use crate::lossy::staging::{Key, StagingSet};
pub use crate::memory::zeroed_lines::OutOfMemory;
use crate::memory::zeroed_lines::{ZeroedLines, mix, reduce};
use crate::table::insert_batch::{AHEAD, LARGE_GROUP, prefetched};
use ferrospin_system::{Found, Fresh, Handle, Span, StateHash, Store};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// ZeroedLines a state looks at before the table counts as full for it. Tables are then filled to 98 in a hundred at least.
const LINES_MAX: u64 = 256;
/// Steps inside a line: primes that share no factor with any number of cells.
const STEPS: [u32; 8] = [11, 13, 17, 19, 23, 29, 31, 37];

/// Options of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Size of the table; rounded down to whole cache lines, at least one.
    pub memory_bytes: u64,
    /// Number of states, where it is known: fingerprints are as wide as it allows.
    pub expected_states: Option<u64>,
    /// Bits of a fingerprint, from 4 to 64; chosen when absent.
    pub bits: Option<u32>,
    /// Another seed omits other states.
    pub seed: u64,
    /// How many workers there will be at a time, at most. A table for one worker is faster.
    pub workers: usize,
}

impl Options {
    /// A table of this size for any number of workers, with fingerprints of 32 bits.
    pub fn new(memory_bytes: u64) -> Options {
        Options { memory_bytes, expected_states: None, bits: None, seed: 0, workers: usize::MAX }
    }
}

/// The table.
#[derive(Debug)]
pub struct HashCompact {
    lines: ZeroedLines,
    staging: StagingSet,
    scheme: Scheme,
    width_bits: u32,
    /// Cells of a line.
    cells: u32,
    seed: u64,
    /// For fingerprints of 64 bits.
    second_hash: StateHash,
    workers_max: usize,
    workers: AtomicUsize,
}

impl HashCompact {
    /// An empty table.
    pub fn new(options: Options) -> Result<HashCompact, OutOfMemory> {
        let scheme = Scheme::cells(options.memory_bytes, options.expected_states, options.bits);
        let Scheme::Cells { width_bits, .. } = scheme else { unreachable!("a table has cells") };
        let seed = mix(options.seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
        Ok(HashCompact {
            lines: ZeroedLines::within(options.memory_bytes)?,
            staging: StagingSet::new(options.memory_bytes),
            scheme,
            width_bits,
            cells: cells_per_line(width_bits),
            seed,
            second_hash: StateHash::new(mix(seed)),
            workers_max: options.workers.max(1),
            workers: AtomicUsize::new(0),
        })
    }

    /// Width and number of cells: what predictions need.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The hash with the seed in it.
    #[inline]
    fn seeded(&self, hash: u64) -> u64 {
        let x = (hash ^ self.seed).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x ^ (x >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    /// What the table looks at of a state: the hash with the seed in it, and where fingerprints are as wide as a hash, another
    /// hash.
    #[inline]
    fn key(&self, state: &[u8], hash: u64) -> Key {
        (self.seeded(hash), if self.is_wide() { self.second_hash.of(state) } else { 0 })
    }

    /// Whether fingerprints have a hash of their own.
    #[inline]
    fn is_wide(&self) -> bool {
        self.width_bits == 64
    }

    /// Puts a state.
    #[inline]
    fn put(&self, key: Key) -> Found {
        if !self.staging.is_drained() {
            return self.put_early(key);
        }
        self.put_here(key)
    }

    /// Puts a state while there are few.
    #[cold]
    fn put_early(&self, key: Key) -> Found {
        let known = self.staging.put(key, |key| {
            // There are fewer keys than the table takes.
            self.put_here(key);
        });
        match known {
            None => self.put_here(key),
            Some(true) => Found::New(0),
            Some(false) => Found::Seen(0),
        }
    }

    /// Puts a state into the table itself.
    #[inline]
    fn put_here(&self, key: Key) -> Found {
        if self.workers_max == 1 {
            return self.visit(key, |word, _, filled| {
                word.store(filled, Ordering::Relaxed);
                Filled::Done
            });
        }
        self.visit(key, |word, now, filled| {
            match word.compare_exchange(now, filled, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => Filled::Done,
                Err(changed) => Filled::Otherwise(changed),
            }
        })
    }

    /// Looks for a state and for the first empty cell. `fill` is called with the word of an empty cell, what the word was
    /// and what it is to become; it answers with what the word is then.
    #[inline]
    fn visit(&self, (seeded, second): Key, mut fill: impl FnMut(&AtomicU64, u64, u64) -> Filled) -> Found {
        let mixed = mix(seeded);
        let random = if self.is_wide() { second } else { mixed };
        // From 1 to 2^width - 1, for 0 means empty.
        let fingerprint = 1 + reduce(random, u64::MAX >> (64 - self.width_bits));
        let mask = u64::MAX >> (64 - self.width_bits);
        // The fingerprint comes from the high bits of `mixed`; these bits are of another mix.
        let order = mix(mixed);
        let step = STEPS[(order % 8) as usize] % self.cells;
        let first = reduce(order, u64::from(self.cells)) as u32;
        let count = self.lines.count();
        let mut index = reduce(seeded, count);
        // A small table is looked through line by line, so that all of it is used.
        let stride = if count <= LINES_MAX { 1 % count } else { 1 + reduce(mix(order), count - 1) };
        for _ in 0..LINES_MAX.min(count) {
            let line = self.lines.line(index);
            let mut cell = first;
            for _ in 0..self.cells {
                let word = &line[(cell % 8) as usize];
                let shift = cell / 8 * self.width_bits;
                let mut now = word.load(Ordering::Relaxed);
                loop {
                    let there = now >> shift & mask;
                    if there == fingerprint {
                        return Found::Seen(0);
                    }
                    if there != 0 {
                        break;
                    }
                    match fill(word, now, now | fingerprint << shift) {
                        Filled::Done => return Found::New(0),
                        // Another worker has written to the word, perhaps into this very cell.
                        Filled::Otherwise(changed) => now = changed,
                    }
                }
                cell += step;
                if cell >= self.cells {
                    cell -= self.cells;
                }
            }
            index += stride;
            if index >= count {
                index -= count;
            }
        }
        Found::Full
    }
}

/// What became of an attempt to fill a cell.
enum Filled {
    /// The cell holds the fingerprint.
    Done,
    /// The word is something else now.
    Otherwise(u64),
}

impl Store for HashCompact {
    type Handle<'s> = HashCompactHandle<'s>;

    const EXACT: bool = false;
    const RESTORES: bool = false;

    /// # Panics
    /// Panics when there are more handles at a time than workers were announced.
    fn handle(&self) -> HashCompactHandle<'_> {
        let before = self.workers.fetch_add(1, Ordering::Relaxed);
        assert!(before < self.workers_max, "a table for {} workers has one more", self.workers_max);
        HashCompactHandle { table: self, cache: HashCache::new() }
    }

    fn memory_bytes(&self) -> u64 {
        self.lines.memory_bytes() + size_of::<HashCompact>() as u64
    }
}

/// A worker's access to a table.
#[derive(Debug)]
pub struct HashCompactHandle<'s> {
    table: &'s HashCompact,
    cache: HashCache,
}

impl Drop for HashCompactHandle<'_> {
    fn drop(&mut self) {
        self.table.workers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Handle for HashCompactHandle<'_> {
    #[inline]
    fn prefetch(&self, hash: u64) {
        let lines = &self.table.lines;
        lines.prefetch(reduce(self.table.seeded(hash), lines.count()));
    }

    /// Numbers are always 0.
    #[inline]
    fn put(&mut self, state: &[u8], hash: u64) -> Found {
        self.table.put(self.table.key(state, hash))
    }

    fn insert_batch(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        let table = self.table;
        let mut waiting = [(0, (0, 0)); LARGE_GROUP];
        for (group, spans) in spans.chunks(LARGE_GROUP).enumerate() {
            let mut count = 0;
            for (index, span) in (group * LARGE_GROUP..).zip(spans) {
                let state = span.state(bytes);
                let hash = hash.of(state);
                waiting[count] = (index, table.key(state, hash));
                // With two hashes, one of them does not say that a state was seen.
                count += usize::from(!self.cache.note(hash) || table.is_wide());
            }
            let waiting = &waiting[..count];
            let prefetch =
                |&(_, (seeded, _)): &(_, (u64, _))| table.lines.prefetch(reduce(seeded, table.lines.count()));
            for &(index, key) in prefetched(waiting, AHEAD, prefetch) {
                match table.put(key) {
                    Found::New(number) => fresh.push(Fresh { index: index as u32, number }),
                    Found::Seen(_) => {}
                    Found::Full => {
                        self.cache.clear();
                        return index;
                    }
                }
            }
        }
        spans.len()
    }

    fn find(&self, state: &[u8], hash: u64) -> Option<u64> {
        let key = self.table.key(state, hash);
        if !self.table.staging.is_drained()
            && let Some(known) = self.table.staging.has(key)
        {
            return known.then_some(0);
        }
        match self.table.visit(key, |_, _, _| Filled::Done) {
            Found::Seen(number) => Some(number),
            Found::New(_) | Found::Full => None,
        }
    }

    fn read<'a>(&'a self, _: u64, _: &'a mut Vec<u8>) -> &'a [u8] {
        panic!("fingerprints cannot give states back")
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}

#[cfg(test)]
mod tests;
