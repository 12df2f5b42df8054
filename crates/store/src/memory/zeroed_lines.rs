//! Zeroed shared memory in cache lines, which costs nothing until it is touched.
//!
//! A filter may be as large as the machine's memory while the model turns out to be small. Memory allocated as zeroed
//! comes from the operating system page by page at the first touch; writing zeros oneself, or asking for a larger
//! alignment than the allocator's own (the standard library then zeroes by hand), would touch all of it. So memory is
//! allocated with a small alignment, one line more than needed, and the lines begin at the first boundary.
//!
//! Huge pages are requested: a random access then needs no walk of the page table. Small models never
//! touch them, see [`crate::lossy::staging`].

use crate::memory::block::Mapping;
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Bytes of a cache line, as all lines here.
pub(crate) const LINE_BYTES: u64 = 64;
/// Bits of a line.
pub(crate) const LINE_BITS: u64 = 512;

/// A cache line of shared words.
pub(crate) type Line = [AtomicU64; 8];

/// The memory could not be allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// The size that was requested.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of memory cannot be had", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// An array of lines, all bits 0 at first.
pub(crate) struct ZeroedLines {
    /// Keeps the memory.
    _mapping: Mapping,
    start: NonNull<Line>,
    count: u64,
    memory_bytes: u64,
}

// SAFETY: the memory belongs to the value and holds nothing but atomic words.
unsafe impl Send for ZeroedLines {}
// SAFETY: shared access gives away shared references to atomic words only.
unsafe impl Sync for ZeroedLines {}

impl fmt::Debug for ZeroedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lines", self.count)
    }
}

impl ZeroedLines {
    /// As many whole lines as fit into the memory, at least one.
    pub(crate) fn within(memory_bytes: u64) -> Result<ZeroedLines, OutOfMemory> {
        let refused = OutOfMemory { bytes: memory_bytes };
        let count = (memory_bytes / LINE_BYTES).max(1);
        let bytes = usize::try_from(count * LINE_BYTES).map_err(|_| refused)?;
        let mapping = Mapping::zeroed(bytes).ok_or(refused)?;
        let start = NonNull::new(mapping.start().cast::<Line>()).ok_or(refused)?;
        assert!(start.is_aligned() && start.addr().get().is_multiple_of(LINE_BYTES as usize));
        Ok(ZeroedLines { _mapping: mapping, start, count, memory_bytes: bytes as u64 + LINE_BYTES })
    }

    /// Number of lines.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// One line.
    #[inline]
    pub(crate) fn line(&self, index: u64) -> &Line {
        assert!(index < self.count);
        // SAFETY: 1. `index` is below `count`, and the mapping has room for as many lines from `start` on. 2. It is
        // aligned to lines. 3. All bytes zero is a valid line. 4. There are only shared references to it. 5. It
        // lives as long as `self`.
        unsafe { self.start.add(index as usize).as_ref() }
    }

    /// Prefetches a line.
    #[inline]
    pub(crate) fn prefetch(&self, index: u64) {
        prefetch(&self.line(index)[0]);
    }

    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }
}

/// Prefetches the line of a word.
#[inline]
pub(crate) fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: 1. A prefetch is a hint that never faults and changes no memory. 2. Every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(word.as_ptr().cast_const().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}

/// `x * n / 2^64`: a number below `n` from the high bits of a well mixed number, for any `n`.
#[inline]
pub(crate) fn reduce(x: u64, n: u64) -> u64 {
    ((u128::from(x) * u128::from(n)) >> 64) as u64
}

/// Mixes all bits into all bits; a bijection (the finisher of SplitMix64; Steele, Lea, Flood, 2014).
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn lines_are_aligned_and_zero() {
        for bytes in [0, 1, 64, 1000, 1 << 20, (5 << 20) + 777] {
            let lines = ZeroedLines::within(bytes).unwrap();
            assert_eq!(lines.count(), (bytes / 64).max(1));
            for i in 0..lines.count() {
                let line = lines.line(i);
                assert_eq!(line.as_ptr().addr() % 64, 0);
                assert!(line.iter().all(|w| w.fetch_or(1, Ordering::Relaxed) == 0));
            }
            assert!(lines.memory_bytes() <= bytes.max(64) + 64);
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(ZeroedLines::within(u64::MAX).is_err());
    }
}
