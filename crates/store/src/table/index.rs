//! The index: which key has which number, by hash.
//!
//! A hash chooses one of 8 or 16 *segments* by its top bits, and a home slot in it by the next ones. A slot is one word: bits of
//! the hash (the *tag*) and a number; 0 is empty. Probing is linear; slack behind the last home takes the place of a wrap. Wide
//! slots are at home in a line of the cache rather than in a slot: a processor looks at the whole of it at once, and its slots are
//! filled from the first on.
//! Segments grow one by one, at safe points, each at a load of its own, so that memory grows smoothly and a stop is short.
//! Homes are in the order of hashes whatever their number, so that growth writes nearly in order, and by any factor.
//!
//! The caller gives numbers their meaning: whether a number is that of a key, and, where slots are narrow
//! ([`crate::table::slot`]), the hash of a number's key.
//!
//! Shared between threads: slots (one line per lookup, written once per new key); the directory of segments, 256 bytes at most, read by
//! every lookup and written at safe points only; a count per segment, to which a worker adds once per `quantum` new keys.
//!
//! Invariants: a filled slot never changes outside of a safe point; two insertions of one key try the same first empty
//! slot, and the loser compares with the winner; a key's data are written before its slot is (Release), and read after the
//! slot was (Acquire).

use crate::memory::block::{Mapping, prefetch};
use crate::memory::budget::Account;
use crate::memory::table_mapping::TableMapping;
use crate::safepoint::gate::Standing;
use crate::table::growth::{Grown, Growth, Slots};
use crate::table::load::{Counts, Load, SEGMENTS, SMALL};
use crate::table::probe::{self, Lookup, Outcome, number_of};
use crate::table::slot::Slot;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Home slots of a segment at the start.
const FIRST_HOMES: u32 = 16;
/// From this number of home slots on, a segment no longer doubles.
const MIDDLE: u32 = 1 << 11;
const SLACK_MIN: usize = 16;
const SLACK_MAX: usize = 1024;

/// Where the slots of a segment are: what every lookup reads.
struct Segment<S> {
    /// Home slots, the slack behind them, and one more line, which is always empty: a lookup ends there at the latest.
    slots: AtomicPtr<S>,
    /// Home slots.
    homes: AtomicU32,
    /// How many bits of a slot are the number.
    bits: AtomicU32,
}

impl<S: Slot> Segment<S> {
    /// Slots but for the last line, which stays empty.
    #[inline(always)]
    fn len(&self) -> usize {
        let homes = self.homes.load(Relaxed) as usize;
        homes + slack::<S>(homes)
    }
}

/// The table.
pub(crate) struct Index<S: Slot = AtomicU64> {
    segments: Box<[Segment<S>; SEGMENTS]>,
    loads: Box<[Load; SEGMENTS]>,
    /// The slots of each segment, but for those of the start, which lie together.
    mappings: Box<[Mutex<TableMapping>; SEGMENTS]>,
    _first: Mapping,
    uncharged_bytes: usize,
    /// Next segment to look at in a stop.
    cursor: AtomicUsize,
    /// Segments that were looked at in a stop.
    looked_at: AtomicUsize,
    /// Segments that are becoming larger in a stop.
    growths: Mutex<Vec<Arc<Growth<S>>>>,
}

/// Where a lookup begins, and what it looks for.
pub(crate) struct ProbeStart<S> {
    slot: *const S,
    tag: u64,
    bits: u32,
}

impl<S> Clone for ProbeStart<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for ProbeStart<S> {}

impl<S> ProbeStart<S> {
    /// Where the lookup begins.
    #[inline(always)]
    pub(crate) fn home(&self) -> *const S {
        self.slot
    }
}

/// What became of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inserted {
    /// The key is new; its number. True: its segment should grow.
    New(u32, bool),
    /// The key was there; its number.
    Seen(u32),
    /// There is no number or no room for its data.
    NoMemory,
    /// No slot in the segment, or numbers are too wide for it: it must grow.
    NoSlot,
    /// The worker must synchronize with an exclusive one first.
    NotSynchronized,
}

/// What growth needs of the keys; only narrow slots use it.
pub(crate) trait Keys {
    /// More than every number given.
    fn bound(&self) -> u64;
    /// Brings the key of a number near.
    fn prefetch(&self, number: u32);
    /// The hash of the key of a number.
    fn hash(&self, number: u32) -> u64;
}

/// For wide slots, which need no keys.
pub(crate) struct NoKeys;

impl Keys for NoKeys {
    fn bound(&self) -> u64 {
        0
    }

    fn prefetch(&self, _number: u32) {}

    fn hash(&self, _number: u32) -> u64 {
        unreachable!("wide slots keep their tags")
    }
}

/// The size after a step of growth: the larger a segment is, the less it grows by. That saves memory, and costs time.
fn grown<S: Slot>(segment: usize, homes: u32) -> u32 {
    let factor = if homes < MIDDLE { 2.0 } else { S::GROWTH };
    if homes < SMALL {
        homes * 4
    } else {
        let homes = (f64::from(homes) * Load::step(segment, S::SEGMENTS, homes == SMALL, factor)) as u32;
        homes.next_multiple_of(S::LINE as u32)
    }
}

/// The count at which a segment should grow.
fn limit<S: Slot>(homes: u32) -> u32 {
    Load::limit(homes, S::LOAD_MAX)
}

/// Home slots of a segment at most: all segments together have as many as there are numbers.
fn last_homes<S: Slot>() -> u32 {
    1 << (32 - S::SEGMENT_BITS)
}

fn slack<S: Slot>(homes: usize) -> usize {
    (homes / 32).clamp(SLACK_MIN, SLACK_MAX).next_multiple_of(S::LINE)
}

#[inline(always)]
fn segment_of<S: Slot>(hash: u64) -> usize {
    (hash >> (64 - S::SEGMENT_BITS)) as usize
}

#[inline(always)]
pub(crate) fn tag_of<S: Slot>(hash: u64) -> u32 {
    (hash >> (32 - S::SEGMENT_BITS)) as u32
}

/// The home of a tag, or the first slot of its line: homes are in the order of tags, whatever their number is.
#[inline(always)]
pub(crate) fn home_of<S: Slot>(tag: u32, homes: u32) -> usize {
    let lines = u64::from(homes) / S::LINE as u64;
    ((u64::from(tag) * lines) >> 32) as usize * S::LINE
}

/// The tag as it stands in a slot whose number has `bits` bits: its upper part, as far as it fits.
#[inline(always)]
pub(crate) fn stored<S: Slot>(tag: u32, bits: u32) -> u64 {
    // A shift by all bits of a word is none, so it is done in two.
    let word = u64::from(tag) << (bits - 1) << 1;
    if S::BITS == 64 { word } else { word & 0xffff_ffff }
}

impl<S: Slot> Index<S> {
    /// An empty index; `None` when there is no memory at all.
    pub(crate) fn new(account: &Arc<Account>) -> Option<Index<S>> {
        let homes = FIRST_HOMES as usize;
        let len = homes + slack::<S>(homes);
        let bytes = SEGMENTS * (len + S::LINE) * size_of::<S>();
        // So little is needed to begin with that a budget too small for it is exceeded rather than refused.
        let tables = SEGMENTS * (size_of::<Segment<S>>() + size_of::<Load>() + size_of::<Mutex<TableMapping>>());
        let charged = account.take(bytes + tables);
        let first = Mapping::zeroed(bytes)?;
        Some(Index {
            segments: Box::new(std::array::from_fn(|segment| Segment {
                // SAFETY: the block has room for all segments.
                slots: AtomicPtr::new(unsafe { first.start().cast::<S>().add(segment * (len + S::LINE)) }),
                homes: AtomicU32::new(FIRST_HOMES),
                bits: AtomicU32::new(S::number_bits(0)),
            })),
            loads: Box::new(std::array::from_fn(|_| Load::new(limit::<S>(FIRST_HOMES)))),
            mappings: Box::new(std::array::from_fn(|_| Mutex::new(TableMapping::new(account)))),
            _first: first,
            uncharged_bytes: if charged { 0 } else { bytes + tables },
            cursor: AtomicUsize::new(0),
            looked_at: AtomicUsize::new(0),
            growths: Mutex::default(),
        })
    }

    /// Bytes that could not be taken from the account.
    pub(crate) fn uncharged_bytes(&self) -> usize {
        self.uncharged_bytes
    }

    /// Brings the home slot near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        let segment = &self.segments[segment_of::<S>(hash)];
        let home = home_of::<S>(tag_of::<S>(hash), segment.homes.load(Relaxed));
        prefetch(segment.slots.load(Relaxed).wrapping_add(home));
    }

    /// The slots of a hash, from its home to the end of its segment, and how many of their bits are the number.
    #[inline(always)]
    fn slots(&self, hash: u64) -> (&[S], u32) {
        let segment = &self.segments[segment_of::<S>(hash)];
        let slots = segment.slots.load(Relaxed).cast_const();
        let home = home_of::<S>(tag_of::<S>(hash), segment.homes.load(Relaxed));
        let bits = if S::KEEPS_TAG { 32 } else { segment.bits.load(Relaxed) };
        // SAFETY: `slots` points to that many slots, a home is less, and they stay until the next safe point, at which no
        // lookup is under way.
        (unsafe { std::slice::from_raw_parts(slots.add(home), segment.len() - home) }, bits)
    }

    /// The number of a key; `same` says whether a number is its.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, same: impl FnMut(u32) -> bool) -> Option<u32> {
        let (slots, bits) = self.slots(hash);
        probe::find(slots, stored::<S>(tag_of::<S>(hash), bits), bits, same)
    }

    /// Where a lookup begins.
    #[inline(always)]
    pub(crate) fn home(&self, hash: u64) -> *const S {
        let segment = &self.segments[segment_of::<S>(hash)];
        let home = home_of::<S>(tag_of::<S>(hash), segment.homes.load(Relaxed));
        segment.slots.load(Relaxed).cast_const().wrapping_add(home)
    }

    /// Where a lookup begins, and its tag: computed once, for the prefetch and for the lookup. Valid until the next
    /// safe point.
    #[inline(always)]
    pub(crate) fn probe_start(&self, hash: u64) -> ProbeStart<S> {
        let segment = &self.segments[segment_of::<S>(hash)];
        let home = home_of::<S>(tag_of::<S>(hash), segment.homes.load(Relaxed));
        let slot = segment.slots.load(Relaxed).cast_const().wrapping_add(home);
        prefetch(slot);
        let bits = if S::KEEPS_TAG { 32 } else { segment.bits.load(Relaxed) };
        ProbeStart { slot, tag: stored::<S>(tag_of::<S>(hash), bits), bits }
    }

    /// Looks for a key; `same` says whether a number is its. The empty slot may be the one behind the last, which stays empty.
    ///
    /// # Safety
    /// There was no safe point since [`Index::probe_start`] was called.
    #[inline(always)]
    pub(crate) unsafe fn look_at(&self, start: &ProbeStart<S>, mut same: impl FnMut(u32) -> bool) -> Lookup<'_, S> {
        let mut slot = start.slot;
        loop {
            // SAFETY: homes lie inside their segments, nothing has grown since, and the slot behind the last of a segment is
            // empty, which ends the loop.
            let here = unsafe { &*slot };
            let word = here.load(Acquire);
            if word == 0 {
                return Lookup::Empty(here);
            }
            if (word ^ start.tag) >> start.bits == 0 && same(number_of(word, start.bits)) {
                return Lookup::Seen(number_of(word, start.bits));
            }
            slot = slot.wrapping_add(1);
        }
    }

    /// Whether a slot of a hash, to which its lookup went from its home, is behind the last, where all stay empty.
    #[inline(always)]
    pub(crate) fn is_end(&self, home: *const S, slot: *const S, hash: u64) -> bool {
        // There is slack behind every home.
        if slot.addr() - home.addr() <= SLACK_MIN * size_of::<S>() {
            return false;
        }
        let segment = &self.segments[segment_of::<S>(hash)];
        std::ptr::eq(slot, segment.slots.load(Relaxed).cast_const().wrapping_add(segment.len()))
    }

    /// Looks for a key.
    #[inline(always)]
    pub(crate) fn look(&self, hash: u64, same: impl FnMut(u32) -> bool) -> Lookup<'_, S> {
        let (slots, bits) = self.slots(hash);
        probe::look(slots, stored::<S>(tag_of::<S>(hash), bits), bits, same)
    }

    /// Whether the segment of a key takes no more keys.
    #[inline(always)]
    pub(crate) fn is_closed(&self, hash: u64) -> bool {
        self.loads[segment_of::<S>(hash)].is_closed()
    }

    /// Fills the slot that [`Index::look`] has found; true when the segment should grow, `None` when another worker has
    /// filled it, or when the number is too wide for it: see [`Index::insert`]. An `exclusive` worker needs no compare-and-swap.
    #[inline(always)]
    pub(crate) fn fill(&self, slot: &S, hash: u64, number: u32, exclusive: bool, counts: &mut Counts) -> Option<bool> {
        let segment = segment_of::<S>(hash);
        let bits = if S::KEEPS_TAG { 32 } else { self.segments[segment].bits.load(Relaxed) };
        if !S::KEEPS_TAG && u64::from(number) >> bits != 0 {
            return None;
        }
        let word = stored::<S>(tag_of::<S>(hash), bits) | u64::from(number);
        if exclusive {
            slot.store(word, Release);
        } else {
            slot.fill(word).ok()?;
        }
        Some(self.add(segment, counts))
    }

    /// Looks a key up and stores it where it is missing. `reserve` writes the key's data and says the number it will have;
    /// it is called at most once.
    #[inline(always)]
    pub(crate) fn insert(
        &self,
        hash: u64,
        standing: Standing,
        counts: &mut Counts,
        same: impl FnMut(u32) -> bool,
        mut reserve: impl FnMut() -> Option<u32>,
    ) -> Inserted {
        let (slots, bits) = self.slots(hash);
        let tag = stored::<S>(tag_of::<S>(hash), bits);
        let reserve = || {
            if standing == Standing::Joining {
                return Err(Inserted::NotSynchronized);
            }
            if self.loads[segment_of::<S>(hash)].is_closed() {
                return Err(Inserted::NoSlot);
            }
            match reserve() {
                Some(number) if !S::KEEPS_TAG && u64::from(number) >> bits != 0 => Err(Inserted::NoSlot),
                Some(number) => Ok(number),
                None => Err(Inserted::NoMemory),
            }
        };
        match probe::insert(slots, tag, bits, standing == Standing::Exclusive, same, reserve) {
            Outcome::Seen(number) => Inserted::Seen(number),
            Outcome::New(number) => Inserted::New(number, self.add(segment_of::<S>(hash), counts)),
            Outcome::Refused(refusal) => refusal,
            Outcome::NoSlot => Inserted::NoSlot,
        }
    }

    /// Counts a new key; true when its segment should grow.
    #[inline(always)]
    fn add(&self, segment: usize, counts: &mut Counts) -> bool {
        self.loads[segment].add(segment, counts, || self.homes(segment))
    }

    fn homes(&self, segment: usize) -> u32 {
        self.segments[segment].homes.load(Relaxed)
    }

    /// Notes that this key found no slot, so that the next stop makes its segment larger.
    #[cold]
    pub(crate) fn overflow(&self, hash: u64) {
        self.loads[segment_of::<S>(hash)].overflow();
    }

    /// The size of a key's segment, and the width of its numbers: whether a stop has changed it can be seen by them.
    pub(crate) fn size_for(&self, hash: u64) -> (u32, u32) {
        let segment = &self.segments[segment_of::<S>(hash)];
        (segment.homes.load(Relaxed), segment.bits.load(Relaxed))
    }

    /// Bytes of slots.
    pub(crate) fn bytes(&self) -> u64 {
        self.mappings.iter().map(|mapping| mapping.lock().unwrap_or_else(PoisonError::into_inner).bytes() as u64).sum()
    }

    /// The first part of a stop: see [`crate::safepoint::gate::Maintenance`].
    pub(crate) fn prepare(&self) {
        self.cursor.store(0, Relaxed);
        self.looked_at.store(0, Relaxed);
        self.lock_growths().clear();
    }

    fn lock_growths(&self) -> MutexGuard<'_, Vec<Arc<Growth<S>>>> {
        self.growths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes segments larger until there are none left that need it; all workers do it at the same time.
    ///
    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self, keys: &impl Keys) {
        loop {
            let segment = self.cursor.fetch_add(1, Relaxed);
            if segment >= S::SEGMENTS {
                break;
            }
            // SAFETY: every worker is at a safe point, and this segment was taken by this worker only.
            let growth = unsafe { self.begin(segment, keys) }.map(Arc::new);
            self.lock_growths().extend(growth.clone());
            self.looked_at.fetch_add(1, Release);
            growth.iter().for_each(|growth| self.help(growth, keys));
        }
        // Another worker may be about to begin with a segment that all should help with.
        while self.looked_at.load(Acquire) < S::SEGMENTS {
            std::thread::yield_now();
        }
        let growths = self.lock_growths().clone();
        growths.iter().for_each(|growth| self.help(growth, keys));
    }

    /// Begins to make a segment larger, if it should be.
    ///
    /// # Safety
    /// No other worker uses the segment.
    unsafe fn begin(&self, segment: usize, keys: &impl Keys) -> Option<Growth<S>> {
        let homes = self.homes(segment);
        let (entry, load) = (&self.segments[segment], &self.loads[segment]);
        let due = load.due(homes);
        let bits = entry.bits.load(Relaxed);
        let narrow = !S::KEEPS_TAG && bits < 32 && keys.bound() > (3 << bits >> 2);
        // A segment that is nearly empty and overflows has a bad hash; more homes would not help for long.
        let helps = homes < SMALL || due.count >= homes / 8;
        let larger = due.near || (due.overflowed && helps && !narrow);
        if !larger && !narrow {
            return None;
        }
        let old = Slots { start: entry.slots.load(Relaxed).cast_const(), len: entry.len(), homes, bits };
        let homes = if larger { grown::<S>(segment, homes) } else { homes };
        let len = homes as usize + slack::<S>(homes as usize);
        let mapping = self.mappings[segment].lock().unwrap_or_else(PoisonError::into_inner);
        let Some(larger) =
            (homes <= last_homes::<S>()).then(|| mapping.fresh((len + S::LINE) * size_of::<S>())).flatten()
        else {
            load.refuse();
            return None;
        };
        let start = larger.start().cast::<S>().cast_const();
        let new = Slots { start, len, homes, bits: S::number_bits(keys.bound()) };
        // SAFETY: the segment has that number of slots, and the mapping, which no other worker can reach, a line more.
        Some(unsafe { Growth::new(segment, old, new, larger) })
    }

    /// Helps with a segment, and puts it in its place when it is done.
    fn help(&self, growth: &Growth<S>, keys: &impl Keys) {
        let Some(Grown { mapping, slots, count }) = growth.help(keys) else { return };
        let (entry, load) = (&self.segments[growth.segment], &self.loads[growth.segment]);
        let Some(mapping) = mapping else {
            // No room behind the last home: the segment stays what it was.
            load.refuse();
            return;
        };
        entry.slots.store(slots.start.cast_mut(), Relaxed);
        entry.homes.store(slots.homes, Relaxed);
        entry.bits.store(slots.bits, Relaxed);
        *self.mappings[growth.segment].lock().unwrap_or_else(PoisonError::into_inner) = mapping;
        load.grown(count, slots.homes, limit::<S>(slots.homes));
    }
}
