//! Bitstate: a filter of bits in place of states (Holzmann, "supertrace", 1988; Bloom, 1970).
//!
//! A state sets `k` bits of a filter of any size; it counts as seen when all of them were set before. Nothing else is
//! kept, so a new state is now and then taken for a seen one and omitted; [`crate::lossy::omission`] says how often. "New" is
//! always true. Two layouts:
//!
//! - *one line*: all bits of a state lie in one cache line of 512 bits, which the high bits of the hash choose; the
//!   places inside come from a second mix of it. One cache miss a state. Used when the number of states is not known,
//!   or when there are at most 16 bits of memory for each.
//! - *classic*: the bits lie anywhere, by enhanced double hashing (Dillinger, Manolios, 2004): `k` cache misses, but far
//!   fewer omissions where memory is plentiful.
//!
//! Workers read the filter without locks. A worker that finds a bit clear locks one of 4096 stripes, chosen by the state, and sets the
//! bits with `fetch_or`; the state is new if that set one. Two workers that put one state at the same time use the same
//! stripe, so that only one of them gets "new". Orderings of bits are relaxed, since nothing else is reached through the bits. A filter for
//! one worker does without locked instructions.
//!
//! Memory is zeroed by the operating system page by page, and small models do not touch it ([`crate::lossy::staging`]): a large
//! filter costs nothing at the start.

use crate::lossy::hash_cache::HashCache;
use crate::lossy::omission::Scheme;
use crate::lossy::staging::StagingSet;
pub use crate::memory::zeroed_lines::OutOfMemory;
use crate::memory::zeroed_lines::{LINE_BITS, LINE_BYTES, Line, ZeroedLines, mix, reduce};
use crate::table::insert_batch::{AHEAD, LARGE_GROUP, prefetched};
use ferrospin_system::{Found, Fresh, Handle, Query, Span, StateHash, Store};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// ZeroedLines that are prefetched for one state in the classic layout. More than a processor can wait for at a time are of no
/// use.
const PREFETCHED_MAX: u32 = 8;
/// How many workers can set bits at the same time, at most.
const STRIPES: usize = 4096;
/// ZeroedLines that are looked at for the fill: 64 MiB, enough for four digits.
const SAMPLED_MAX: u64 = 1 << 20;

/// Options of a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Size of the filter; rounded down to whole cache lines, at least one.
    pub memory_bytes: u64,
    /// Number of states, where it is known roughly: decides on the layout and on `k`.
    pub expected_states: Option<u64>,
    /// Bits a state, from 1 to 64; chosen when absent.
    pub k: Option<u32>,
    /// Another seed omits other states.
    pub seed: u64,
    /// How many workers there will be at a time, at most. A filter for one worker is faster.
    pub workers: usize,
}

impl Options {
    /// A filter of this size for any number of workers and of states.
    pub fn new(memory_bytes: u64) -> Options {
        Options { memory_bytes, expected_states: None, k: None, seed: 0, workers: usize::MAX }
    }
}

/// The filter.
#[derive(Debug)]
pub struct Bitstate {
    lines: ZeroedLines,
    staging: StagingSet,
    scheme: Scheme,
    /// From the options' seed; mixed into every hash.
    seed: u64,
    workers_max: usize,
    workers: AtomicUsize,
    /// Locks held while bits of a state are set, so that a state is new only once.
    stripes: Box<[AtomicBool]>,
}

/// How full a filter is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fill {
    /// Share of the bits that are set.
    pub ones: f64,
    /// Chance that one more state would be omitted, from the bits themselves.
    pub false_positive: f64,
    /// States that were stored, estimated from the bits. Several workers may count a state twice; bits do not.
    pub stored_estimated: f64,
}

impl Bitstate {
    /// An empty filter.
    pub fn new(options: Options) -> Result<Bitstate, OutOfMemory> {
        Ok(Bitstate {
            lines: ZeroedLines::within(options.memory_bytes)?,
            staging: StagingSet::new(options.memory_bytes),
            scheme: Scheme::bitstate(options.memory_bytes, options.expected_states, options.k),
            seed: mix(options.seed.wrapping_add(0x9e37_79b9_7f4a_7c15)),
            workers_max: options.workers.max(1),
            workers: AtomicUsize::new(0),
            stripes: (0..STRIPES).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    /// Layout, size and bits a state: what predictions need.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// How full it is. Looks at 64 MiB at most, spread over the whole.
    pub fn fill(&self) -> Fill {
        let count = self.lines.count();
        if let Some(few) = self.staging.count() {
            let ones = few as f64 * f64::from(self.k()) / (count * LINE_BITS) as f64;
            return Fill { ones, false_positive: ones.powi(self.k() as i32), stored_estimated: few as f64 };
        }
        let stride = count.div_ceil(SAMPLED_MAX);
        let k = self.k() as i32;
        let (mut sampled, mut ones, mut blocked) = (0, 0, 0.0);
        for index in (0..count).step_by(stride as usize) {
            let of_line: u32 = self.lines.line(index).iter().map(|w| w.load(Ordering::Relaxed).count_ones()).sum();
            sampled += 1;
            ones += u64::from(of_line);
            blocked += (f64::from(of_line) / LINE_BITS as f64).powi(k);
        }
        let share = ones as f64 / (sampled * LINE_BITS) as f64;
        // A state leaves a bit clear with chance (1 - 1/m)^k; in a line it is the line that a state must hit first, and
        // the number of hits is Poisson distributed.
        let (false_positive, set_by_one) = match self.scheme {
            Scheme::Classic { m_bits, k } => (share.powi(k as i32), f64::from(k) / m_bits as f64),
            _ => {
                let clear = f64::from(self.k()) * (-1.0 / LINE_BITS as f64).ln_1p();
                (blocked / sampled as f64, -clear.exp_m1() / count as f64)
            }
        };
        Fill { ones: share, false_positive, stored_estimated: -(-share).ln_1p() / set_by_one }
    }

    fn k(&self) -> u32 {
        match self.scheme {
            Scheme::Classic { k, .. } | Scheme::OneLine { k, .. } => k,
            Scheme::Cells { .. } => unreachable!("a filter has no cells"),
        }
    }

    /// The hash with the seed in it. Hashes come well mixed; two multiplications suffice to make seeds independent.
    #[inline]
    fn seeded(&self, hash: u64) -> u64 {
        let x = (hash ^ self.seed).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x ^ (x >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    /// Calls `f` with the line and the place in it of every bit, in the classic layout, until it says to stop.
    #[inline]
    fn each_classic(&self, seeded: u64, k: u32, mut f: impl FnMut(&AtomicU64, u64) -> bool) {
        let m = self.lines.count() * LINE_BITS;
        let (mut x, mut y) = (reduce(seeded, m), reduce(mix(seeded), m));
        for i in 1..=u64::from(k) {
            let word = &self.lines.line(x / LINE_BITS)[(x % LINE_BITS / 64) as usize];
            if !f(word, 1 << (x % 64)) {
                return;
            }
            // The step grows, and what it grows by: a constant step would visibly repeat itself at low rates.
            x = sum_below(x, y, m);
            y = sum_below(y, i % m, m);
        }
    }

    #[inline]
    fn line_of(&self, seeded: u64) -> &Line {
        self.lines.line(reduce(seeded, self.lines.count()))
    }

    /// For a number of bits that is known to the compiler, so that everything stays in registers: the fewer instructions
    /// there are between two misses, the more misses a processor can wait for at the same time.
    #[inline(always)]
    fn put_few<const K: usize>(&self, seeded: u64) -> bool {
        let line = self.line_of(seeded);
        let first = Places::first(seeded, K as u32);
        // Two words have the places of all numbers that are used here.
        const { assert!(K as u32 <= 2 * Places::A_WORD) };
        let second = if K as u32 > Places::A_WORD { Places::following(first) } else { 0 };
        let places: [(usize, u64); K] = std::array::from_fn(|i| match i.checked_sub(Places::A_WORD as usize) {
            None => place(first >> (9 * i)),
            Some(i) => place(second >> (9 * i)),
        });
        let clear = places.iter().fold(0, |clear, (word, bit)| clear | !line[*word].load(Ordering::Relaxed) & bit);
        clear != 0 && self.set_all(line, places.into_iter())
    }

    /// Puts states by their seeded hashes, and answers for each whether it is new. The scheme is matched only once.
    #[inline]
    fn put_each(&self, hashes: impl IntoIterator<Item = u64>, mut answer: impl FnMut(bool)) {
        if !self.staging.is_drained() {
            return hashes.into_iter().for_each(|seeded| answer(self.put_early(seeded)));
        }
        self.put_each_here(hashes, answer);
    }

    /// Puts a state while there are few.
    #[cold]
    fn put_early(&self, seeded: u64) -> bool {
        let put = |seeded| {
            let mut new = false;
            self.put_each_here([seeded], |answer| new = answer);
            new
        };
        let known = self.staging.put((seeded, 0), |(seeded, _)| {
            put(seeded);
        });
        known.unwrap_or_else(|| put(seeded))
    }

    /// [`Bitstate::put_each`], into the filter itself.
    #[inline]
    fn put_each_here(&self, hashes: impl IntoIterator<Item = u64>, mut answer: impl FnMut(bool)) {
        macro_rules! each {
            ($put:expr) => {
                for seeded in hashes {
                    answer($put(seeded));
                }
            };
        }
        match self.scheme {
            Scheme::Classic { k, .. } => each!(|seeded| self.put_classic(seeded, k)),
            // Three when nothing is known of the model, and four to eleven when the filter is tuned to it.
            Scheme::OneLine { k: 3, .. } => each!(|seeded| self.put_few::<3>(seeded)),
            Scheme::OneLine { k: 4, .. } => each!(|seeded| self.put_few::<4>(seeded)),
            Scheme::OneLine { k: 5, .. } => each!(|seeded| self.put_few::<5>(seeded)),
            Scheme::OneLine { k: 6, .. } => each!(|seeded| self.put_few::<6>(seeded)),
            Scheme::OneLine { k: 7, .. } => each!(|seeded| self.put_few::<7>(seeded)),
            Scheme::OneLine { k: 8, .. } => each!(|seeded| self.put_few::<8>(seeded)),
            Scheme::OneLine { k: 9, .. } => each!(|seeded| self.put_few::<9>(seeded)),
            Scheme::OneLine { k: 10, .. } => each!(|seeded| self.put_few::<10>(seeded)),
            Scheme::OneLine { k: 11, .. } => each!(|seeded| self.put_few::<11>(seeded)),
            Scheme::OneLine { k, .. } => each!(|seeded| self.put_one_line(seeded, k)),
            Scheme::Cells { .. } => unreachable!("a filter has no cells"),
        }
    }

    #[inline]
    fn put_one_line(&self, seeded: u64, k: u32) -> bool {
        let line = self.line_of(seeded);
        let mut clear = 0;
        for (word, bit) in Places::new(seeded, k) {
            clear |= !line[word].load(Ordering::Relaxed) & bit;
        }
        clear != 0 && self.set_all(line, Places::new(seeded, k))
    }

    /// Sets the bits of a state some of which are clear; whether this worker set one.
    #[inline]
    fn set_all(&self, line: &Line, places: impl Iterator<Item = (usize, u64)>) -> bool {
        if self.workers_max == 1 {
            for (word, bit) in places {
                line[word].store(line[word].load(Ordering::Relaxed) | bit, Ordering::Relaxed);
            }
            return true;
        }
        self.in_stripe(std::ptr::from_ref(line) as u64 / LINE_BYTES, || {
            let mut new = false;
            for (word, bit) in places {
                new |= set(&line[word], bit);
            }
            new
        })
    }

    /// Runs `f` under the lock of the key's stripe.
    fn in_stripe(&self, key: u64, f: impl FnOnce() -> bool) -> bool {
        let lock = &self.stripes[(key % STRIPES as u64) as usize];
        while lock.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::hint::spin_loop();
        }
        let new = f();
        lock.store(false, Ordering::Release);
        new
    }

    #[inline]
    fn put_classic(&self, seeded: u64, k: u32) -> bool {
        let mut new = false;
        if self.workers_max == 1 {
            self.each_classic(seeded, k, |word, bit| {
                let old = word.load(Ordering::Relaxed);
                if old & bit == 0 {
                    word.store(old | bit, Ordering::Relaxed);
                    new = true;
                }
                true
            });
            return new;
        }
        let mut clear = false;
        self.each_classic(seeded, k, |word, bit| {
            clear = word.load(Ordering::Relaxed) & bit == 0;
            !clear
        });
        clear
            && self.in_stripe(seeded, || {
                self.each_classic(seeded, k, |word, bit| {
                    new |= set(word, bit);
                    true
                });
                new
            })
    }
}

/// Sets a bit; whether it was this call that did. A locked instruction is spared where the bit is set already.
#[inline]
fn set(word: &AtomicU64, bit: u64) -> bool {
    word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
}

/// `a + b` modulo `m`, both below `m`.
#[inline]
fn sum_below(a: u64, b: u64, m: u64) -> u64 {
    // Sizes of memory in bits are far below 2^63.
    let sum = a + b;
    if sum >= m { sum - m } else { sum }
}

/// Word and bit of the place that the low nine bits say.
#[inline]
fn place(bits: u64) -> (usize, u64) {
    ((bits % LINE_BITS / 64) as usize, 1 << (bits % 64))
}

/// The places of a state's bits in its line: words, and the bit in each.
struct Places {
    bits: u64,
    /// Places left in `bits`.
    left: u32,
    next: u64,
    k: u32,
}

impl Places {
    /// Places of nine bits that one word of random bits has.
    const A_WORD: u32 = 7;
    /// Up to this many places come from the low bits of the hash. Its high bits choose the line: 28 are left for them, which
    /// is 16 GiB of lines; of larger filters, the last place only has a preference for some bits in some lines.
    const UNMIXED_MAX: u32 = 4;

    #[inline]
    fn new(seeded: u64, k: u32) -> Places {
        let bits = Places::first(seeded, k);
        Places { bits, left: Places::A_WORD, next: bits, k }
    }

    /// The word that the first places come from.
    #[inline]
    fn first(seeded: u64, k: u32) -> u64 {
        if k <= Places::UNMIXED_MAX { seeded } else { mix(seeded) }
    }

    /// The word after another one.
    #[inline]
    fn following(word: u64) -> u64 {
        mix(word.wrapping_add(0x9e37_79b9_7f4a_7c15))
    }
}

impl Iterator for Places {
    type Item = (usize, u64);

    #[inline]
    fn next(&mut self) -> Option<(usize, u64)> {
        self.k = self.k.checked_sub(1)?;
        if self.left == 0 {
            self.next = Places::following(self.next);
            (self.bits, self.left) = (self.next, Places::A_WORD);
        }
        self.left -= 1;
        let next = place(self.bits);
        self.bits /= LINE_BITS;
        Some(next)
    }
}

impl Store for Bitstate {
    type Handle<'s> = BitstateHandle<'s>;

    const EXACT: bool = false;
    const RESTORES: bool = false;

    /// # Panics
    /// Panics when there are more handles at a time than workers were announced.
    fn handle(&self) -> BitstateHandle<'_> {
        let before = self.workers.fetch_add(1, Ordering::Relaxed);
        assert!(before < self.workers_max, "a filter for {} workers has one more", self.workers_max);
        BitstateHandle { filter: self, cache: HashCache::new() }
    }

    fn memory_bytes(&self) -> u64 {
        self.lines.memory_bytes() + size_of::<Bitstate>() as u64
    }
}

/// A worker's access to a filter.
#[derive(Debug)]
pub struct BitstateHandle<'s> {
    filter: &'s Bitstate,
    cache: HashCache,
}

impl Drop for BitstateHandle<'_> {
    fn drop(&mut self) {
        self.filter.workers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl BitstateHandle<'_> {
    #[inline(always)]
    fn prefetch_seeded(&self, seeded: u64) {
        let lines = &self.filter.lines;
        match self.filter.scheme {
            Scheme::Classic { k, .. } => {
                self.filter.each_classic(seeded, k.min(PREFETCHED_MAX), |word, _| {
                    crate::memory::zeroed_lines::prefetch(word);
                    true
                });
            }
            _ => lines.prefetch(reduce(seeded, lines.count())),
        }
    }
}

/// The answer of a store that gives no numbers.
fn found(new: bool) -> Found {
    if new { Found::New(0) } else { Found::Seen(0) }
}

impl Handle for BitstateHandle<'_> {
    #[inline]
    fn prefetch(&self, hash: u64) {
        self.prefetch_seeded(self.filter.seeded(hash));
    }

    /// Numbers are always 0; it is never full.
    #[inline]
    fn put(&mut self, _: &[u8], hash: u64) -> Found {
        let mut answer = Found::Full;
        self.filter.put_each([self.filter.seeded(hash)], |new| answer = found(new));
        answer
    }

    fn put_all(&mut self, _: &[u8], queries: &[Query], answers: &mut Vec<Found>) {
        answers.reserve(queries.len());
        self.filter.put_each(queries.iter().map(|q| self.filter.seeded(q.hash)), |new| answers.push(found(new)));
    }

    fn insert_batch(&mut self, bytes: &[u8], spans: &[Span], hash: &StateHash, fresh: &mut Vec<Fresh>) -> usize {
        let ahead = match self.filter.scheme {
            Scheme::Classic { .. } => AHEAD / PREFETCHED_MAX as usize,
            _ => AHEAD,
        };
        let mut waiting = [(0, 0); LARGE_GROUP];
        for (group, spans) in spans.chunks(LARGE_GROUP).enumerate() {
            let mut count = 0;
            for (index, span) in (group * LARGE_GROUP..).zip(spans) {
                let hash = hash.of(span.state(bytes));
                // No branch: which ones were seen a moment ago cannot be predicted.
                waiting[count] = (index as u32, self.filter.seeded(hash));
                count += usize::from(!self.cache.note(hash));
            }
            let waiting = &waiting[..count];
            let near = prefetched(waiting, ahead, |(_, seeded)| self.prefetch_seeded(*seeded));
            let mut indices = waiting.iter().map(|(index, _)| *index);
            self.filter.put_each(near.map(|(_, seeded)| *seeded), |new| {
                let index = indices.next().unwrap_or_default();
                if new {
                    fresh.push(Fresh { index, number: 0 });
                }
            });
        }
        spans.len()
    }

    fn find(&self, _: &[u8], hash: u64) -> Option<u64> {
        let filter = self.filter;
        let seeded = filter.seeded(hash);
        if !filter.staging.is_drained()
            && let Some(known) = filter.staging.has((seeded, 0))
        {
            return known.then_some(0);
        }
        let mut clear = false;
        match filter.scheme {
            Scheme::Classic { k, .. } => filter.each_classic(seeded, k, |word, bit| {
                clear = word.load(Ordering::Relaxed) & bit == 0;
                !clear
            }),
            _ => {
                let line = filter.line_of(seeded);
                clear =
                    Places::new(seeded, filter.k()).any(|(word, bit)| line[word].load(Ordering::Relaxed) & bit == 0);
            }
        }
        (!clear).then_some(0)
    }

    fn read<'a>(&'a self, _: u64, _: &'a mut Vec<u8>) -> &'a [u8] {
        panic!("a filter cannot give states back")
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}

// The prefetch of a whole line and the size of a line belong together.
const _: () = assert!(size_of::<Line>() as u64 == LINE_BYTES);

#[cfg(test)]
mod tests;
