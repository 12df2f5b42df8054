//! How full the segments of a table are, and when they should grow.
//!
//! Segments of a large table have different sizes, all steps of one ladder apart, and the same load at which they grow, so
//! that over a cycle of growth they grow one after the other. Segments of a small table grow together.
//! Workers count new keys for themselves and add them in portions, so that a counter that all share is rarely written.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Segments of a table at most.
pub(crate) const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Bits of a hash that choose the segment, at most.
pub(crate) const SEGMENT_BITS: u32 = 4;
/// Below this many places, segments double, and in larger groups: stops would be too many otherwise.
pub(crate) const SMALL: u32 = 1024;
/// The load at which a segment that may not grow is closed; probes would be too long beyond.
const CLOSED_PERCENT: u64 = 92;

/// How full one segment is; only insertions and growth look at it.
pub(crate) struct Load {
    /// Keys, less what workers have not added yet.
    count: AtomicU32,
    /// The count at which it should grow; `u32::MAX` when it was refused.
    limit: AtomicU32,
    /// How many keys a worker may keep back before it adds them to the count; 0: the segment is closed.
    quantum: AtomicU32,
    /// A key found no place.
    overflowed: AtomicBool,
}

/// New keys of each segment that a worker has not added to the counts yet.
pub(crate) struct Counts(Box<[u32; SEGMENTS]>);

impl Counts {
    pub(crate) fn new() -> Counts {
        Counts(Box::new([0; SEGMENTS]))
    }
}

/// Why a segment should be made larger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Due {
    /// Keys in it, about.
    pub(crate) count: u32,
    /// It is near its limit.
    pub(crate) near: bool,
    /// A key found no place.
    pub(crate) overflowed: bool,
}

impl Load {
    /// An empty segment.
    pub(crate) fn new(limit: u32) -> Load {
        Load {
            count: AtomicU32::new(0),
            limit: AtomicU32::new(limit),
            quantum: AtomicU32::new(1),
            overflowed: AtomicBool::new(false),
        }
    }

    /// The count at which a segment of `places` places should grow.
    pub(crate) fn limit(places: u32, load_max: f64) -> u32 {
        (f64::from(places) * load_max) as u32
    }

    /// By how much segment number `segment` of `of` grows. The step at which it becomes large, and no later one, is of a length of
    /// its own: from then on sizes are a geometric series, and growth is spread evenly over a cycle.
    pub(crate) fn step(segment: usize, of: usize, becomes_large: bool, factor: f64) -> f64 {
        if becomes_large { factor.powf(1.0 + segment as f64 / of as f64) } else { factor }
    }

    /// Whether it takes no more keys.
    #[inline(always)]
    pub(crate) fn is_closed(&self) -> bool {
        self.quantum.load(Relaxed) == 0
    }

    /// Counts a new key of a segment of `places` places; true when it should grow.
    #[inline(always)]
    pub(crate) fn add(&self, segment: usize, counts: &mut Counts, places: impl FnOnce() -> u32) -> bool {
        let kept = &mut counts.0[segment];
        *kept += 1;
        *kept >= self.quantum.load(Relaxed) && self.flush(kept, places())
    }

    fn flush(&self, kept: &mut u32, places: u32) -> bool {
        let count = self.count.fetch_add(*kept, Relaxed) + *kept;
        *kept = 0;
        if u64::from(count) * 100 > u64::from(places) * CLOSED_PERCENT {
            // It should have grown long ago: no memory, or a stop that is late. Until it has grown it takes nothing.
            self.quantum.store(0, Relaxed);
        }
        let limit = self.limit.load(Relaxed);
        count >= limit && limit != u32::MAX
    }

    /// Notes that a key found no place.
    #[cold]
    pub(crate) fn overflow(&self) {
        self.overflowed.store(true, Relaxed);
    }

    /// What a stop has to do about a segment of `places` places.
    pub(crate) fn due(&self, places: u32) -> Due {
        let (count, limit) = (self.count.load(Relaxed), self.limit.load(Relaxed));
        let near = if places <= SMALL { limit / 2 } else { limit - limit / 64 };
        let overflowed = self.overflowed.swap(false, Relaxed);
        Due { count, near: limit != u32::MAX && count >= near, overflowed }
    }

    /// The segment has grown. What workers keep back will be added once more, which makes the next step a little early.
    pub(crate) fn grown(&self, count: u32, places: u32, limit: u32) {
        self.count.store(count, Relaxed);
        self.quantum.store((places / 1024).max(1), Relaxed);
        self.limit.store(limit, Relaxed);
    }

    /// The segment may not grow: it stays as it is, and growth is requested again only when a key finds no place.
    pub(crate) fn refuse(&self) {
        self.limit.store(u32::MAX, Relaxed);
    }
}
