//! The index: which state has which number, by hash.
//!
//! A hash chooses one of 256 *segments* by its top bits, and a home slot in it by the next ones. A slot is one word: 32 bits
//! of the hash, the home bits among them, and 32 bits of a number; 0 is empty. Probing is linear; slack behind the last
//! home takes the place of a wrap, so that order of homes is order of hashes, and a segment is doubled by one pass over its
//! slots that reads no state. Segments double one by one, at safe points, each at its own load between .4 and .8: memory
//! grows smoothly, and a stop is short.
//!
//! What a number means is the caller's business: he says whether a number is that of the key he looks for.
//!
//! Shared between threads: slots (one line per lookup, written once per new key); the directory of segments, 4 KiB, read by
//! every lookup and written at safe points only; a count per segment, to which a worker adds once per `quantum` new keys.
//!
//! Invariants: a filled slot never changes outside of a safe point; two insertions of one key try the same first empty
//! slot, and who loses it looks at the winner; a key's data are written before its slot is (Release), and read after the
//! slot was (Acquire).

use crate::block::{Block, Mapping, Pool, prefetch};
use crate::budget::Account;
use crate::gate::Standing;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, PoisonError};

const SEGMENT_BITS: u32 = 8;
/// Number of segments.
pub(crate) const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Home slots of a segment at the start.
const FIRST_HOMES: u32 = 16;
/// Home slots of a segment at most: more would not fit the numbers.
const LAST_HOMES: u32 = 1 << 28;
const SLACK_MIN: usize = 16;
const SLACK_MAX: usize = 1024;
/// Below this many home slots, segments double in larger groups: stops would be too many otherwise.
const SMALL: u32 = 1024;
/// The load at which the last segment of a cycle grows.
const LOAD_MAX: f64 = 0.82;
/// The load at which a segment that may not grow is closed; probes would be too long beyond.
const CLOSED_PERCENT: u64 = 92;

/// Where the slots of a segment are: what every lookup reads.
struct Segment {
    slots: AtomicPtr<AtomicU64>,
    /// Home slots.
    homes: AtomicU32,
    /// Home slots and slack.
    len: AtomicU32,
}

/// What only insertions and growth look at.
struct Load {
    /// Keys, less what workers have not added yet.
    count: AtomicU32,
    /// The count at which it should double.
    limit: AtomicU32,
    /// How many keys a worker may keep back before it adds them to the count; 0: the segment is closed.
    quantum: AtomicU32,
    /// A probe ran over the end.
    overflowed: AtomicBool,
}

/// The table.
pub(crate) struct Index {
    segments: Box<[Segment; SEGMENTS]>,
    loads: Box<[Load; SEGMENTS]>,
    /// The slots of each segment, but for those of the start, which are one block.
    blocks: Box<[Mutex<Option<Block>>; SEGMENTS]>,
    _first: Mapping,
    uncharged_bytes: usize,
    /// Where the slots of segments lie.
    pool: Pool,
    /// Next segment to look at in a stop.
    cursor: AtomicUsize,
}

/// New keys of each segment that a worker has not added to the counts yet.
pub(crate) struct Counts(Box<[u32; SEGMENTS]>);

impl Counts {
    pub(crate) fn new() -> Counts {
        Counts(Box::new([0; SEGMENTS]))
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
    /// No slot in the segment: it must grow.
    NoSlot,
    /// A newcomer must settle first.
    Unsettled,
}

/// The size after a step of growth: small segments double, large ones grow by half, which saves memory.
fn grown(homes: u32) -> u32 {
    if homes < SMALL { homes * 2 } else { homes / 2 * 3 }
}

fn slack(homes: usize) -> usize {
    (homes / 16).clamp(SLACK_MIN, SLACK_MAX)
}

#[inline(always)]
fn segment_of(hash: u64) -> usize {
    (hash >> (64 - SEGMENT_BITS)) as usize
}

#[inline(always)]
fn tag_of(hash: u64) -> u32 {
    (hash >> (32 - SEGMENT_BITS)) as u32
}

/// The home of a tag: homes are in the order of tags, whatever their number is.
#[inline(always)]
fn home_of(tag: u32, homes: u32) -> usize {
    ((u64::from(tag) * u64::from(homes)) >> 32) as usize
}

impl Index {
    /// An empty index; `None` when there is no memory at all.
    pub(crate) fn new(account: &Arc<Account>) -> Option<Index> {
        let homes = FIRST_HOMES as usize;
        let len = homes + slack(homes);
        let bytes = SEGMENTS * len * size_of::<u64>();
        // So little is needed to begin with that a budget too small for it is exceeded rather than refused.
        let charged = account.take(bytes);
        let first = Mapping::zeroed(bytes)?;
        let index = Index {
            segments: Box::new(std::array::from_fn(|segment| Segment {
                // SAFETY: the block has room for all segments.
                slots: AtomicPtr::new(unsafe { first.start().cast::<AtomicU64>().add(segment * len) }),
                homes: AtomicU32::new(FIRST_HOMES),
                len: AtomicU32::new(len as u32),
            })),
            loads: Box::new(std::array::from_fn(|_| Load {
                count: AtomicU32::new(0),
                limit: AtomicU32::new(0),
                quantum: AtomicU32::new(1),
                overflowed: AtomicBool::new(false),
            })),
            blocks: Box::new(std::array::from_fn(|_| Mutex::new(None))),
            _first: first,
            uncharged_bytes: if charged { 0 } else { bytes },
            pool: Pool::new(account.clone()),
            cursor: AtomicUsize::new(0),
        };
        for segment in 0..SEGMENTS {
            index.set_limit(segment);
        }
        Some(index)
    }

    /// Bytes that are not taken from the account.
    pub(crate) fn fixed_bytes(&self) -> usize {
        let tables = size_of_val(&*self.segments) + size_of_val(&*self.loads) + size_of_val(&*self.blocks);
        tables + self.uncharged_bytes
    }

    /// Brings the home slot near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        let segment = &self.segments[segment_of(hash)];
        let home = home_of(tag_of(hash), segment.homes.load(Relaxed));
        prefetch(segment.slots.load(Relaxed).wrapping_add(home));
    }

    /// The slots of a hash: its home, and the end of its segment.
    #[inline(always)]
    fn range(&self, hash: u64) -> (*const AtomicU64, *const AtomicU64) {
        let segment = &self.segments[segment_of(hash)];
        let slots = segment.slots.load(Relaxed).cast_const();
        let home = home_of(tag_of(hash), segment.homes.load(Relaxed));
        // SAFETY: `slots` points to `len` slots, and a home is less than `len`.
        unsafe { (slots.add(home), slots.add(segment.len.load(Relaxed) as usize)) }
    }

    /// The number of a key; `same` says whether a number is its.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let (mut slot, end) = self.range(hash);
        let tag = tag_of(hash);
        while slot != end {
            // SAFETY: between the home and the end of the segment; the caller is not at a safe point, so it stays.
            let word = unsafe { &*slot }.load(Acquire);
            if word == 0 {
                return None;
            }
            if (word >> 32) as u32 == tag && same(word as u32) {
                return Some(word as u32);
            }
            // SAFETY: not yet at the end.
            slot = unsafe { slot.add(1) };
        }
        None
    }

    /// Looks a key up and stores it where it is missing. `reserve` writes the key's data and says the number it will have;
    /// it is called at most once.
    #[inline(always)]
    pub(crate) fn insert(
        &self,
        hash: u64,
        standing: Standing,
        counts: &mut Counts,
        mut same: impl FnMut(u32) -> bool,
        mut reserve: impl FnMut() -> Option<u32>,
    ) -> Inserted {
        let (mut slot, end) = self.range(hash);
        let tag = tag_of(hash);
        let mut reserved = 0;
        while slot != end {
            // SAFETY: as in `find`.
            let entry = unsafe { &*slot };
            let mut word = entry.load(Acquire);
            if word == 0 {
                if reserved == 0 {
                    if standing == Standing::Newcomer {
                        return Inserted::Unsettled;
                    }
                    if self.loads[segment_of(hash)].quantum.load(Relaxed) == 0 {
                        return Inserted::NoSlot;
                    }
                    match reserve() {
                        Some(number) => reserved = number,
                        None => return Inserted::NoMemory,
                    }
                }
                let new = u64::from(tag) << 32 | u64::from(reserved);
                if standing == Standing::Alone {
                    entry.store(new, Release);
                    return Inserted::New(reserved, self.add(segment_of(hash), counts));
                }
                match entry.compare_exchange(0, new, Release, Acquire) {
                    Ok(_) => return Inserted::New(reserved, self.add(segment_of(hash), counts)),
                    Err(winner) => word = winner,
                }
            }
            if (word >> 32) as u32 == tag && same(word as u32) {
                return Inserted::Seen(word as u32);
            }
            // SAFETY: not yet at the end.
            slot = unsafe { slot.add(1) };
        }
        Inserted::NoSlot
    }

    /// Counts a new key; true when its segment should grow.
    #[inline(always)]
    fn add(&self, segment: usize, counts: &mut Counts) -> bool {
        let kept = &mut counts.0[segment];
        *kept += 1;
        *kept >= self.loads[segment].quantum.load(Relaxed) && self.settle_count(segment, kept)
    }

    fn settle_count(&self, segment: usize, kept: &mut u32) -> bool {
        let load = &self.loads[segment];
        let count = load.count.fetch_add(*kept, Relaxed) + *kept;
        *kept = 0;
        if u64::from(count) * 100 > u64::from(self.homes(segment)) * CLOSED_PERCENT {
            // It should have grown long ago: no memory, or a stop that is late. Until it has grown it takes nothing.
            load.quantum.store(0, Relaxed);
        }
        let limit = load.limit.load(Relaxed);
        count >= limit && limit != u32::MAX
    }

    fn homes(&self, segment: usize) -> u32 {
        self.segments[segment].homes.load(Relaxed)
    }

    /// Notes that this key found no slot, so that the next stop doubles its segment.
    #[cold]
    pub(crate) fn overflow(&self, hash: u64) {
        self.loads[segment_of(hash)].overflowed.store(true, Relaxed);
    }

    /// The size of a key's segment: whether it has grown can be seen by it.
    pub(crate) fn size_for(&self, hash: u64) -> u32 {
        self.segments[segment_of(hash)].len.load(Relaxed)
    }

    /// The first part of a stop: see [`crate::gate::Chores`].
    pub(crate) fn prepare(&self) {
        self.cursor.store(0, Relaxed);
    }

    /// Doubles segments until there are none left that need it; all workers do it at the same time.
    ///
    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self) {
        loop {
            let segment = self.cursor.fetch_add(1, Relaxed);
            if segment >= SEGMENTS {
                return;
            }
            let load = &self.loads[segment];
            let (count, limit, homes) = (load.count.load(Relaxed), load.limit.load(Relaxed), self.homes(segment));
            let near = if homes <= SMALL { limit / 2 } else { limit - limit / 16 };
            let overflowed = load.overflowed.swap(false, Relaxed);
            // A segment that is nearly empty and overflows has a bad hash; doubling it would not help for long.
            let helps = homes < SMALL || count >= homes / 8;
            if (limit != u32::MAX && count >= near) || (overflowed && helps) {
                // SAFETY: every worker is at a safe point, and this segment was taken by this worker alone.
                unsafe { self.grow(segment) };
            }
        }
    }

    /// # Safety
    /// Nobody else uses the segment.
    unsafe fn grow(&self, segment: usize) {
        let (entry, load) = (&self.segments[segment], &self.loads[segment]);
        let (old, old_len) = (entry.slots.load(Relaxed), entry.len.load(Relaxed) as usize);
        let homes = grown(entry.homes.load(Relaxed));
        let len = homes as usize + slack(homes as usize);
        let block = (homes <= LAST_HOMES).then(|| self.pool.zeroed(len * size_of::<u64>())).flatten();
        let Some(block) = block else {
            // Refused: it goes on as it is, and is asked for again only when a key finds no slot.
            load.limit.store(u32::MAX, Relaxed);
            return;
        };
        let new = block.start().cast::<AtomicU64>();
        let mut count = 0;
        for at in 0..old_len {
            // SAFETY: inside the old slots, which nobody else uses.
            let word = unsafe { &*old.add(at) }.load(Relaxed);
            if word == 0 {
                continue;
            }
            let mut to = home_of((word >> 32) as u32, homes);
            // SAFETY: inside the new slots, which nobody else knows: the bound is checked before each use.
            while to < len && unsafe { &*new.add(to) }.load(Relaxed) != 0 {
                to += 1;
            }
            if to == len {
                self.pool.give_back(block);
                load.limit.store(u32::MAX, Relaxed);
                return;
            }
            // SAFETY: as above.
            unsafe { &*new.add(to) }.store(word, Relaxed);
            count += 1;
        }
        entry.slots.store(new, Relaxed);
        entry.homes.store(homes, Relaxed);
        entry.len.store(len as u32, Relaxed);
        // Counted afresh; what workers keep back will be added once more, which makes the next doubling a little early.
        load.count.store(count, Relaxed);
        load.quantum.store((homes / 1024).max(1), Relaxed);
        self.set_limit(segment);
        let old = self.blocks[segment].lock().unwrap_or_else(PoisonError::into_inner).replace(block);
        if let Some(old) = old {
            self.pool.give_back(old);
        }
    }

    fn set_limit(&self, segment: usize) {
        let homes = f64::from(self.homes(segment));
        let factor = f64::from(grown(self.homes(segment))) / homes;
        // In a geometric series, so that growth is spread evenly over a cycle.
        let load = LOAD_MAX / factor * factor.powf((segment + 1) as f64 / SEGMENTS as f64);
        self.loads[segment].limit.store((homes * load) as u32, Relaxed);
    }
}
