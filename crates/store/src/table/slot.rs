//! The two forms of a slot of an index.
//!
//! A *wide* slot has 64 bits: 32 of the hash and 32 of a number. It says where it belongs in a table of any size, so that
//! growing reads nothing but slots. A *narrow* slot has 32 bits: as many of a number as there are numbers, and the rest of
//! the hash. It halves the table; growing needs the hash of every number.

use crate::table::load::SEGMENT_BITS;
use crate::table::scan;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A word that holds a slot; its value is given as 64 bits whatever its size.
pub(crate) trait Slot: Send + Sync {
    /// Bits of the word.
    const BITS: u32;
    /// Whether it keeps all that is needed to place it anew.
    const KEEPS_TAG: bool;
    /// The load at which a segment grows.
    const LOAD_MAX: f64;
    /// How much a large segment grows by.
    const GROWTH: f64;
    /// Bits of a hash that choose the segment, [`SEGMENT_BITS`] at most: few large segments lie in huge pages early, many
    /// small ones need less memory while one of them grows.
    const SEGMENT_BITS: u32;
    /// A home is the first of this many slots, which lie in one line of the cache; 1 when every slot is a home.
    const LINE: usize;
    /// Segments of a table.
    const SEGMENTS: usize = 1 << Self::SEGMENT_BITS;

    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    /// Fills an empty slot; the value that was there when it is not empty.
    fn fill(&self, value: u64) -> Result<(), u64>;
    /// Bits for numbers, when this many are expected.
    fn number_bits(numbers: u64) -> u32;

    /// How many slots of a line, from the first on, are filled with other tags than this one; fewer where lines are single slots.
    #[inline(always)]
    fn others(line: &[Self], tag: u64) -> usize
    where
        Self: Sized,
    {
        let _ = (line, tag);
        0
    }

    /// What one look at a line gives: true when a slot holds this word, and how many slots from the first on are filled,
    /// or fewer.
    #[inline(always)]
    fn scan(line: &[Self], wanted: u64) -> (bool, usize)
    where
        Self: Sized,
    {
        let _ = (line, wanted);
        (false, 0)
    }
}

impl Slot for AtomicU64 {
    const BITS: u32 = 64;
    const KEEPS_TAG: bool = true;
    const LOAD_MAX: f64 = 0.66;
    const GROWTH: f64 = 2.0;
    const SEGMENT_BITS: u32 = 3;
    const LINE: usize = 8;

    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    #[inline(always)]
    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }

    #[inline(always)]
    fn fill(&self, value: u64) -> Result<(), u64> {
        self.compare_exchange(0, value, Ordering::Release, Ordering::Acquire).map(|_| ())
    }

    #[inline(always)]
    fn number_bits(_numbers: u64) -> u32 {
        32
    }

    #[inline(always)]
    fn others(line: &[AtomicU64], tag: u64) -> usize {
        scan::others(line, (tag >> 32) as u32)
    }

    #[inline(always)]
    fn scan(line: &[AtomicU64], wanted: u64) -> (bool, usize) {
        scan::scan_wide(line, wanted)
    }
}

impl Slot for AtomicU32 {
    const BITS: u32 = 32;
    const KEEPS_TAG: bool = false;
    const LOAD_MAX: f64 = 0.86;
    const GROWTH: f64 = 1.3;
    const SEGMENT_BITS: u32 = SEGMENT_BITS;
    const LINE: usize = 1;

    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        u64::from(AtomicU32::load(self, order))
    }

    #[inline(always)]
    fn store(&self, value: u64, order: Ordering) {
        AtomicU32::store(self, value as u32, order);
    }

    #[inline(always)]
    fn fill(&self, value: u64) -> Result<(), u64> {
        self.compare_exchange(0, value as u32, Ordering::Release, Ordering::Acquire).map(|_| ()).map_err(u64::from)
    }

    fn number_bits(numbers: u64) -> u32 {
        // TableMapping for four times as many, so that widths change rarely; at first the hash gets more than half.
        (64 - numbers.leading_zeros() + 2).clamp(14, 32)
    }

    #[inline(always)]
    fn scan(line: &[AtomicU32], wanted: u64) -> (bool, usize) {
        scan::scan(line, wanted as u32)
    }
}
