//! The quotient table: a set of numbers of some 40 bits in 4 to 6 bytes each, in slots within cache lines.
//!
//! A number, spread by a bijection, is divided: the quotient is the line where it belongs, the remainder is stored, with
//! how many lines it had to go on because others were full. From its place, the number can be read back (quotienting,
//! after Cleary, "Compact hash tables using bidirectional linear probing", 1984; here in lines and without moving).
//!
//! A key tries the lines of its sequence one after the other: home, the other line of the pair, then pairs at a distance
//! that depends on the remainder. In a line it takes the first empty slot. Filled slots of a line are a prefix, a line never
//! gets emptier, and every insertion tries the first empty slot, so that two insertions of one key meet in the same word: nothing
//! moves and nothing is locked. Slots have 32 bits where remainders are short enough, else 64.
//!
//! Tables consist of 8 segments, chosen by the top bits, that grow by a fifth or double at safe points. QuotientTable are in the
//! order of numbers, so that growth reads one line after the other and writes nearly so; of the new lines it keeps
//! only how far they are filled. When numbers become wider, everything is read back and put anew, at a safe point too.
//!
//! Shared between threads: lines (one or two per lookup, written once per new key); the directory of segments, read by every
//! lookup and written at safe points; counts as in [`crate::table::load`]. No data hang on a slot, so that relaxed order suffices;
//! the fence is that of the nodes.

use crate::memory::block::{LINE_BYTES, prefetch};
use crate::memory::budget::Account;
use crate::memory::table_mapping::TableMapping;
use crate::quotient::mix::Mix;
use crate::safepoint::gate::Standing;
use crate::table::load::{Counts, Load};
use crate::table::probe::{self, Outcome};
use crate::table::slot::Slot;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

/// Few large segments lie in huge pages early, many small ones need less memory while one of them grows.
const SEGMENT_BITS: u32 = 3;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Bits of a slot that say how far from home it is, plus one.
const DISTANCE_BITS: u32 = 5;
const DISTANCE_MAX: u32 = 30;
/// The load at which a segment grows.
const LOAD_MAX: f64 = 0.85;
/// Below this many lines segments double.
const SMALL_LINES: u64 = 64;
const FIRST_LINES: u64 = 2;

/// A segment: an even number of lines.
struct Segment {
    /// Where the lines are.
    mapping: TableMapping,
    start: *const u8,
    lines: u64,
    /// Numbers that share a home line: the divisor.
    divisor: u64,
    /// `2^64 / divisor`, rounded down: multiplying by it is faster than dividing.
    reciprocal: u64,
    /// Slots have 64 bits.
    wide: bool,
}

impl Segment {
    fn slots_per_line(&self) -> u64 {
        if self.wide { 8 } else { 16 }
    }

    fn slots(&self) -> u32 {
        (self.lines * self.slots_per_line()) as u32
    }

    /// Quotient and remainder of a number.
    #[inline(always)]
    fn divide(&self, rest: u64) -> (u64, u64) {
        // At most one too small, because the reciprocal is too small by less than one.
        let quotient = ((u128::from(rest) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = rest - quotient * self.divisor;
        if remainder < self.divisor { (quotient, remainder) } else { (quotient + 1, remainder - self.divisor) }
    }

    fn divide_by(&mut self, divisor: u64) {
        self.divisor = divisor;
        self.reciprocal = u64::MAX / divisor;
    }

    /// QuotientTable as they would be if slots were narrow.
    fn narrow_lines(&self) -> u64 {
        if self.wide { self.lines / 2 } else { self.lines }
    }

    /// An empty segment with as many slots as `lines` lines of narrow slots, for numbers of `bits` bits; `None` when there is
    /// no memory.
    fn new(bits: u32, lines: u64, account: &Arc<Account>) -> Option<Segment> {
        let numbers = 1u64 << (bits - SEGMENT_BITS);
        let wide = numbers.div_ceil(lines) > 1 << (32 - DISTANCE_BITS);
        let lines = if wide { lines * 2 } else { lines };
        let mapping = TableMapping::new(account).fresh(lines as usize * LINE_BYTES)?;
        let start = mapping.start().cast_const();
        let mut segment = Segment { mapping, start, lines, divisor: 1, reciprocal: u64::MAX, wide };
        segment.divide_by(numbers.div_ceil(lines));
        Some(segment)
    }

    /// The line that is tried after `distance` others.
    #[inline(always)]
    fn line(&self, home: u64, remainder: u64, distance: u32) -> u64 {
        let pair = match distance / 2 {
            0 => home / 2,
            steps => (home / 2 + self.offset(remainder, u64::from(steps))) % (self.lines / 2),
        };
        pair * 2 + ((home ^ u64::from(distance)) & 1)
    }

    /// The home of what lies in a line at a distance.
    fn home(&self, line: u64, remainder: u64, distance: u32) -> u64 {
        let pairs = self.lines / 2;
        let back = self.offset(remainder, u64::from(distance / 2)) % pairs;
        let pair = (line / 2 + pairs - back) % pairs;
        pair * 2 + ((line ^ u64::from(distance)) & 1)
    }

    /// How many pairs of lines away from home the pair is that is tried after `steps` steps. The square keeps a step that divides the
    /// number of pairs from coming back to the same few.
    fn offset(&self, remainder: u64, steps: u64) -> u64 {
        steps * (self.step(remainder) + steps)
    }

    fn step(&self, remainder: u64) -> u64 {
        let pairs = self.lines / 2;
        if pairs == 1 { 0 } else { 1 + (((remainder.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) * (pairs - 1)) >> 32) }
    }
}

/// What became of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Put {
    /// It is new. True: its segment should grow.
    New(bool),
    /// It was there.
    Seen,
    /// No slot: its segment must grow.
    NoSlot,
    /// The worker must synchronize with an exclusive one first.
    NotSynchronized,
}

/// By how much large segments grow: less saves memory, more saves time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GrowthPolicy {
    /// By a fifth.
    Tight,
    /// They double.
    Roomy,
}

impl GrowthPolicy {
    fn factor(self) -> f64 {
        match self {
            GrowthPolicy::Tight => 1.2,
            GrowthPolicy::Roomy => 2.0,
        }
    }
}

/// The set.
pub(crate) struct QuotientTable {
    growth: GrowthPolicy,
    mix: UnsafeCell<Mix>,
    segments: Box<[UnsafeCell<Segment>; SEGMENTS]>,
    loads: Box<[Load; SEGMENTS]>,
    account: Arc<Account>,
    uncharged_bytes: usize,
    cursor: AtomicUsize,
}

// SAFETY: segments and the bijection are changed at safe points only, when no worker reads them; a stop gives a segment to one
// worker only. Everything else is atomic.
unsafe impl Send for QuotientTable {}
// SAFETY: as above.
unsafe impl Sync for QuotientTable {}

/// A place that is looked up: segment, home line and remainder. Right until the next safe point.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    segment: usize,
    line: u64,
    remainder: u64,
}

/// A home line that was brought near, and the word that stands there if the number does. Right until the next safe point.
#[derive(Clone, Copy)]
pub(crate) struct Aim {
    line: *const u8,
    wanted: u64,
    segment: u32,
    wide: bool,
}

fn even(lines: u64) -> u64 {
    lines.next_multiple_of(2).max(FIRST_LINES)
}

/// The size after a step of growth, in lines of narrow slots.
fn grown(segment: usize, lines: u64, growth: GrowthPolicy) -> u64 {
    let step =
        if lines < SMALL_LINES { 2.0 } else { Load::step(segment, SEGMENTS, lines == SMALL_LINES, growth.factor()) };
    even((lines as f64 * step) as u64)
}

impl QuotientTable {
    /// An empty set of numbers of `bits` bits; `None` when there is no memory at all.
    pub(crate) fn new(bits: u32, growth: GrowthPolicy, account: &Arc<Account>) -> Option<QuotientTable> {
        let tables = SEGMENTS * (size_of::<Segment>() + size_of::<Load>());
        let segments: Vec<_> =
            (0..SEGMENTS).map_while(|_| Segment::new(bits, FIRST_LINES, account).map(UnsafeCell::new)).collect();
        let lines = QuotientTable {
            growth,
            mix: UnsafeCell::new(Mix::new(bits)),
            segments: segments.try_into().ok()?,
            loads: Box::new(std::array::from_fn(|_| Load::new(0))),
            account: account.clone(),
            uncharged_bytes: if account.take(tables) { 0 } else { tables },
            cursor: AtomicUsize::new(0),
        };
        for (number, load) in lines.loads.iter().enumerate() {
            let slots = lines.segment(number).slots();
            load.grown(0, slots, Load::limit(slots, LOAD_MAX));
        }
        Some(lines)
    }

    /// Bytes that could not be taken from the account.
    pub(crate) fn uncharged_bytes(&self) -> usize {
        self.uncharged_bytes
    }

    /// Bits of the numbers.
    #[inline(always)]
    pub(crate) fn bits(&self) -> u32 {
        self.mix().bits()
    }

    #[inline(always)]
    fn mix(&self) -> Mix {
        // SAFETY: changed at safe points only, and the caller is not at one.
        unsafe { *self.mix.get() }
    }

    #[inline(always)]
    fn segment(&self, number: usize) -> &Segment {
        // SAFETY: changed at safe points only, and the caller is not at one.
        unsafe { &*self.segments[number].get() }
    }

    /// Where a number belongs.
    #[inline(always)]
    pub(crate) fn home(&self, number: u64) -> Home {
        let mix = self.mix();
        let mixed = mix.mix(number);
        let shift = mix.bits() - SEGMENT_BITS;
        let segment = (mixed >> shift) as usize;
        let rest = mixed & ((1 << shift) - 1);
        let (line, remainder) = self.segment(segment).divide(rest);
        Home { segment, line, remainder }
    }

    /// Brings a home line near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, home: Home) {
        prefetch(self.segment(home.segment).start.wrapping_add(home.line as usize * LINE_BYTES));
    }

    /// Brings the home line of a number near.
    #[inline(always)]
    pub(crate) fn aim(&self, number: u64) -> Aim {
        let Home { segment, line, remainder } = self.home(number);
        let Segment { start, wide, .. } = self.segment(segment);
        let line = start.wrapping_add(line as usize * LINE_BYTES);
        prefetch(line);
        Aim { line, wanted: slot::<AtomicU64>(0, remainder), segment: segment as u32, wide: *wide }
    }

    /// Whether a number stands in its home line. Where it does not, it may stand elsewhere, or the processor cannot look at a line
    /// at once; and where the line is full, the next one is brought near.
    ///
    /// # Safety
    /// There was no safe point since [`QuotientTable::aim`].
    #[inline(always)]
    pub(crate) unsafe fn is_home(&self, aim: Aim) -> bool {
        // SAFETY: the line lies in a segment, and segments stay until the next safe point.
        let (seen, is_full) = unsafe {
            if aim.wide {
                let (seen, filled) = AtomicU64::scan(std::slice::from_raw_parts(aim.line.cast(), 8), aim.wanted);
                (seen, filled == 8)
            } else {
                let (seen, filled) = AtomicU32::scan(std::slice::from_raw_parts(aim.line.cast(), 16), aim.wanted);
                (seen, filled == 16)
            }
        };
        if is_full && !seen {
            // SAFETY: by the caller.
            let home = unsafe { self.home_of(aim) };
            prefetch(self.segment(home.segment).start.wrapping_add((home.line ^ 1) as usize * LINE_BYTES));
        }
        seen
    }

    /// The place that was aimed at.
    ///
    /// # Safety
    /// As for [`QuotientTable::is_home`].
    #[inline(always)]
    pub(crate) unsafe fn home_of(&self, aim: Aim) -> Home {
        let segment = aim.segment as usize;
        let line = (aim.line.addr() - self.segment(segment).start.addr()) / LINE_BYTES;
        Home { segment, line: line as u64, remainder: aim.wanted >> DISTANCE_BITS }
    }

    /// Whether the number is there.
    pub(crate) fn contains(&self, number: u64) -> bool {
        let home = self.home(number);
        if self.segment(home.segment).wide {
            self.contains_in::<AtomicU64>(home)
        } else {
            self.contains_in::<AtomicU32>(home)
        }
    }

    fn contains_in<S: Slot>(&self, home: Home) -> bool {
        let segment = self.segment(home.segment);
        for distance in 0..=DISTANCE_MAX {
            let wanted = slot::<S>(distance, home.remainder);
            for slot in slots::<S>(segment, segment.line(home.line, home.remainder, distance)) {
                match slot.load(Relaxed) {
                    0 => return false,
                    word if word == wanted => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Stores the number of a home where it is missing.
    #[inline(always)]
    pub(crate) fn put(&self, home: Home, standing: Standing, counts: &mut Counts) -> Put {
        if self.segment(home.segment).wide {
            self.put_in::<AtomicU64>(home, standing, counts)
        } else {
            self.put_in::<AtomicU32>(home, standing, counts)
        }
    }

    #[inline(always)]
    fn put_in<S: Slot>(&self, home: Home, standing: Standing, counts: &mut Counts) -> Put {
        let segment = self.segment(home.segment);
        let load = &self.loads[home.segment];
        let permit = || match standing {
            Standing::Joining => Err(Put::NotSynchronized),
            _ if load.is_closed() => Err(Put::NoSlot),
            _ => Ok(()),
        };
        for distance in 0..=DISTANCE_MAX {
            let line = slots::<S>(segment, segment.line(home.line, home.remainder, distance));
            let wanted = slot::<S>(distance, home.remainder);
            match probe::insert_word(line, wanted, standing == Standing::Exclusive, permit) {
                Outcome::Seen(_) => return Put::Seen,
                Outcome::New(_) => return Put::New(load.add(home.segment, counts, || segment.slots())),
                Outcome::Refused(refusal) => return refusal,
                Outcome::NoSlot => {}
            }
        }
        Put::NoSlot
    }

    /// Notes that a number found no slot, so that the next stop makes its segment larger.
    #[cold]
    pub(crate) fn overflow(&self, number: u64) {
        self.loads[self.home(number).segment].overflow();
    }

    /// Bits of the numbers, and slots of a number's segment: whether a stop has changed where it may go can be seen by them.
    /// QuotientTable would not do: as many hold twice as much once slots become narrow.
    pub(crate) fn size_for(&self, number: u64) -> (u32, u32) {
        (self.bits(), self.segment(self.home(number).segment).slots())
    }

    /// Calls `f` with every number. There must be no insertion and no stop meanwhile.
    pub(crate) fn each(&self, f: &mut dyn FnMut(u64)) {
        for number in 0..SEGMENTS {
            let high = (number as u64) << (self.mix().bits() - SEGMENT_BITS);
            each_in(self.segment(number), |rest| f(self.mix().unmix(high | rest)));
        }
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> u64 {
        let mut count = 0;
        (0..SEGMENTS).for_each(|number| each_in(self.segment(number), |_| count += 1));
        count
    }

    /// Bytes of lines.
    pub(crate) fn bytes(&self) -> u64 {
        (0..SEGMENTS).map(|number| self.segment(number).mapping.bytes() as u64).sum()
    }

    /// The first part of a stop: see [`crate::safepoint::gate::Maintenance`].
    pub(crate) fn prepare(&self) {
        self.cursor.store(0, Relaxed);
    }

    /// Makes segments larger until there are none left that need it; all workers do it at the same time.
    ///
    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self) {
        loop {
            let number = self.cursor.fetch_add(1, Relaxed);
            if number >= SEGMENTS {
                return;
            }
            let segment = self.segment(number);
            let due = self.loads[number].due(segment.slots());
            let helps = segment.lines < SMALL_LINES || due.count >= segment.slots() / 8;
            if due.near || (due.overflowed && helps) {
                // SAFETY: every worker is at a safe point, and this segment was taken by this worker alone.
                unsafe { self.grow(number) };
            }
        }
    }

    /// # Safety
    /// No other worker uses the segment.
    unsafe fn grow(&self, number: usize) {
        let segment = self.segment(number);
        let mut lines = segment.narrow_lines();
        // A few more steps where keys still find no slot; then it stays as it is.
        for _ in 0..4 {
            lines = grown(number, lines, self.growth);
            let Some((new, mut filling)) = self.begin(self.bits(), lines) else { break };
            let (mut count, mut fits) = (0, true);
            each_in(segment, |rest| {
                fits = fits && filling.place(&new, rest);
                count += 1;
            });
            if fits {
                self.loads[number].grown(count, new.slots(), Load::limit(new.slots(), LOAD_MAX));
                // SAFETY: by the caller.
                unsafe { *self.segments[number].get() = new };
                return;
            }
        }
        self.loads[number].refuse();
    }

    /// A segment that is going to be filled; `None` when there is no memory for it.
    fn begin(&self, bits: u32, lines: u64) -> Option<(Segment, Filling)> {
        let segment = Segment::new(bits, lines, &self.account)?;
        let filling = Filling::of(&segment)?;
        Some((segment, filling))
    }

    /// Puts everything anew as numbers of other bits; false, and nothing has changed, when there is no memory for it.
    ///
    /// # Safety
    /// Every worker is at a safe point, and only one calls this.
    pub(crate) unsafe fn rekey(&self, bits: u32, convert: impl Fn(u64) -> u64) -> bool {
        let mix = Mix::new(bits);
        let shift = bits - SEGMENT_BITS;
        // Numbers are spread so evenly that segments differ by little.
        let mean = self.len() as f64 / SEGMENTS as f64;
        let mut extra = 1.02;
        // More space when keys find no slot.
        for _ in 0..4 {
            let sized = |number: usize| {
                // Sizes are apart from one another as they are after growth.
                let factor = self.growth.factor();
                let lines = mean / 16.0 / LOAD_MAX * Load::step(number, SEGMENTS, true, factor) / factor * extra;
                self.begin(bits, even(lines as u64 + 1))
            };
            let mut new: Vec<(Segment, Filling)> = (0..SEGMENTS).map_while(sized).collect();
            let mut counts = [0; SEGMENTS];
            let mut fits = new.len() == SEGMENTS;
            if fits {
                self.each(&mut |number| {
                    let mixed = mix.mix(convert(number));
                    let number = (mixed >> shift) as usize;
                    let (segment, filling) = &mut new[number];
                    counts[number] += 1;
                    fits = fits && filling.place(segment, mixed & ((1 << shift) - 1));
                });
            }
            if fits {
                for (number, (segment, _)) in new.into_iter().enumerate() {
                    let limit = Load::limit(segment.slots(), LOAD_MAX);
                    self.loads[number].grown(counts[number], segment.slots(), limit);
                    // SAFETY: by the caller.
                    unsafe { *self.segments[number].get() = segment };
                }
                // SAFETY: by the caller.
                unsafe { *self.mix.get() = mix };
                return true;
            }
            if new.len() < SEGMENTS {
                return false;
            }
            extra *= 1.3;
        }
        false
    }
}

#[inline(always)]
fn slot<S: Slot>(distance: u32, remainder: u64) -> u64 {
    debug_assert!(S::BITS == 64 || remainder >> (32 - DISTANCE_BITS) == 0);
    remainder << DISTANCE_BITS | u64::from(distance + 1)
}

/// The slots of a line.
#[inline(always)]
fn slots<S: Slot>(segment: &Segment, line: u64) -> &[S] {
    debug_assert!(line < segment.lines);
    // SAFETY: the line is one of the segment's, whose block lives as long as the segment; zeros are empty slots.
    unsafe {
        let start = segment.start.add(line as usize * LINE_BYTES);
        std::slice::from_raw_parts(start.cast::<S>(), LINE_BYTES / size_of::<S>())
    }
}

/// Calls `f` with every number of a segment as the bijection has made it, without the segment's bits. Nearly in order.
#[inline(always)]
fn each_in(segment: &Segment, f: impl FnMut(u64)) {
    #[inline(always)]
    fn each_slot<S: Slot>(segment: &Segment, mut f: impl FnMut(u64)) {
        for line in 0..segment.lines {
            for slot in slots::<S>(segment, line) {
                let word = slot.load(Relaxed);
                if word == 0 {
                    break;
                }
                let (distance, remainder) = ((word & 31) as u32 - 1, word >> DISTANCE_BITS);
                let home = if distance == 0 { line } else { segment.home(line, remainder, distance) };
                f(home * segment.divisor + remainder);
            }
        }
    }
    if segment.wide { each_slot::<AtomicU64>(segment, f) } else { each_slot::<AtomicU32>(segment, f) }
}

/// How many slots of each line of a new segment are filled.
struct Filling(Vec<u8>);

impl Filling {
    /// Of an empty segment; `None` when there is no memory.
    fn of(segment: &Segment) -> Option<Filling> {
        let mut filled = Vec::new();
        filled.try_reserve_exact(segment.lines as usize).ok()?;
        filled.resize(segment.lines as usize, 0);
        Some(Filling(filled))
    }

    /// Puts a number that is not there into the segment, which no other worker can reach; false when it finds no slot.
    #[inline(always)]
    fn place(&mut self, segment: &Segment, rest: u64) -> bool {
        if segment.wide { self.place_in::<AtomicU64>(segment, rest) } else { self.place_in::<AtomicU32>(segment, rest) }
    }

    #[inline(always)]
    fn place_in<S: Slot>(&mut self, segment: &Segment, rest: u64) -> bool {
        let (home, remainder) = segment.divide(rest);
        for distance in 0..=DISTANCE_MAX {
            let line = segment.line(home, remainder, distance);
            let filled = &mut self.0[line as usize];
            if let Some(empty) = slots::<S>(segment, line).get(usize::from(*filled)) {
                empty.store(slot::<S>(distance, remainder), Relaxed);
                *filled += 1;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::budget::Budget;
    use std::collections::HashSet;

    /// Numbers of growing width: growth and re-keying leave exactly what was put.
    #[test]
    fn each_gives_what_was_put_after_growth_and_other_widths() {
        [GrowthPolicy::Tight, GrowthPolicy::Roomy].into_iter().for_each(as_in_a_set);
    }

    fn as_in_a_set(growth: GrowthPolicy) {
        let account = Arc::new(Account::new(Budget::new(None)));
        let lines = QuotientTable::new(30, growth, &account).expect("memory");
        let mut counts = Counts::new();
        let mut oracle = HashSet::new();
        let mut random = 7u64;
        let rounds = if cfg!(miri) { 200 } else { 60_000 };
        for bits in [30, 31, 33, 36, 40, 47, 55] {
            if bits != lines.bits() {
                // SAFETY: there is no other worker.
                assert!(unsafe { lines.rekey(bits, |number| number) });
            }
            for _ in 0..rounds {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let number = (random >> 20) % (1 << bits);
                let expected = if oracle.insert(number) { "new" } else { "seen" };
                assert_eq!(lines.contains(number), expected == "seen");
                loop {
                    match lines.put(lines.home(number), Standing::Exclusive, &mut counts) {
                        Put::New(grow) => {
                            assert_eq!(expected, "new");
                            if grow {
                                lines.prepare();
                                // SAFETY: as above.
                                unsafe { lines.work() };
                            }
                            break;
                        }
                        Put::Seen => {
                            assert_eq!(expected, "seen");
                            break;
                        }
                        Put::NoSlot => {
                            let size = lines.size_for(number);
                            lines.overflow(number);
                            lines.prepare();
                            // SAFETY: as above.
                            unsafe { lines.work() };
                            assert!(lines.size_for(number) > size);
                        }
                        Put::NotSynchronized => panic!("the worker is exclusive"),
                    }
                }
            }
            let mut walked = HashSet::new();
            lines.each(&mut |number| assert!(walked.insert(number)));
            assert_eq!(walked, oracle);
        }
    }

    /// As many lines hold twice as much once slots become narrow: that step is growth, too.
    #[test]
    fn every_step_of_growth_is_seen_as_one() {
        let account = Arc::new(Account::new(Budget::new(None)));
        let lines = QuotientTable::new(31 + SEGMENT_BITS, GrowthPolicy::Tight, &account).expect("memory");
        let wide = |lines: &QuotientTable| lines.segment(lines.home(0).segment).wide;
        assert!(wide(&lines));
        for _ in 0..5 {
            let size = lines.size_for(0);
            lines.overflow(0);
            lines.prepare();
            // SAFETY: there is no other worker.
            unsafe { lines.work() };
            assert!(lines.size_for(0) > size);
        }
        assert!(!wide(&lines));
    }

    #[test]
    fn multiplying_is_dividing() {
        let account = Arc::new(Account::new(Budget::new(None)));
        let mut segment = Segment::new(30, FIRST_LINES, &account).expect("memory");
        let mut random = 5u64;
        for divisor in [1, 2, 3, 7, 64, 1000, 65_537, (1 << 27) - 1, 1 << 27, (1 << 47) + 3] {
            segment.divide_by(divisor);
            for _ in 0..1000 {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                for rest in [
                    random >> 10,
                    random >> 30,
                    random / divisor * divisor,
                    (random / divisor * divisor).wrapping_sub(1),
                ] {
                    assert_eq!(segment.divide(rest), (rest / divisor, rest % divisor));
                }
            }
        }
    }

    #[test]
    fn slots_do_not_run_out_below_nine_tenths() {
        let account = Arc::new(Account::new(Budget::new(None)));
        let segment = Segment::new(40, 2500, &account).expect("memory");
        let mut filling = Filling::of(&segment).expect("memory");
        let mut random = 3u64;
        let mut stored = HashSet::new();
        let load = loop {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let rest = random >> (64 - (40 - SEGMENT_BITS));
            if stored.insert(rest) && !filling.place(&segment, rest) {
                break stored.len() as f64 / f64::from(segment.slots());
            }
        };
        assert!(load > 0.9, "{load}");
    }
}
