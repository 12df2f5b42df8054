//! Zeroed shared memory in cache lines, which costs nothing until it is touched.
//!
//! A filter may be as large as the machine's memory while the model turns out to be small. Memory asked for as zeroed
//! comes from the operating system page by page at the first touch; writing zeros oneself, or asking for a larger
//! alignment than the allocator's own (the standard library then zeroes by hand), would touch all of it. So the words
//! are allocated with their natural alignment, one line more than needed, and the lines begin at the first boundary.

use std::alloc::{Layout, alloc_zeroed};
use std::fmt;
use std::sync::atomic::AtomicU64;

/// Bytes of a cache line, as all lines here.
pub(crate) const LINE_BYTES: u64 = 64;
/// Bits of a line.
pub(crate) const LINE_BITS: u64 = 512;

/// A cache line of shared words.
pub(crate) type Line = [AtomicU64; 8];

/// The memory asked for could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// How much was asked for.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of memory cannot be had", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// An array of lines, all bits 0 at first.
#[derive(Debug)]
pub(crate) struct Lines {
    words: Box<[AtomicU64]>,
    /// Words before the first boundary of a line.
    before: usize,
    count: usize,
}

impl Lines {
    /// As many whole lines as fit into the memory, at least one.
    pub(crate) fn within(memory_bytes: u64) -> Result<Lines, OutOfMemory> {
        let refused = OutOfMemory { bytes: memory_bytes };
        let count = usize::try_from((memory_bytes / LINE_BYTES).max(1)).map_err(|_| refused)?;
        let len = count.checked_mul(8).and_then(|words| words.checked_add(7)).ok_or(refused)?;
        let layout = Layout::array::<AtomicU64>(len).map_err(|_| refused)?;
        // SAFETY: 1. The layout is not of size zero, since `len` is at least 15.
        let start = unsafe { alloc_zeroed(layout) };
        if start.is_null() {
            return Err(refused);
        }
        let slice = std::ptr::slice_from_raw_parts_mut(start.cast::<AtomicU64>(), len);
        // SAFETY: 1. The memory was just allocated by the global allocator with the layout of `[AtomicU64; len]`, which
        // is the layout the box gives back. 2. All bytes zero is a valid `AtomicU64`. 3. Nobody else knows the pointer.
        let words = unsafe { Box::from_raw(slice) };
        // The allocator aligns to 8 bytes at least, so a boundary lies within the first 8 words.
        let address = words.as_ptr().addr();
        let before = (address.next_multiple_of(LINE_BYTES as usize) - address) / 8;
        Ok(Lines { words, before, count })
    }

    /// Number of lines.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.count as u64
    }

    /// One line.
    #[inline]
    pub(crate) fn line(&self, index: u64) -> &Line {
        &self.words[self.before..].as_chunks::<8>().0[index as usize]
    }

    /// Asks the processor to bring a line near.
    #[inline]
    pub(crate) fn prefetch(&self, index: u64) {
        prefetch(&self.line(index)[0]);
    }

    /// Memory held, in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        size_of_val::<[AtomicU64]>(&self.words) as u64
    }
}

/// Asks the processor to bring the line of a word near.
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
        for bytes in [0, 1, 64, 1000, 1 << 20] {
            let lines = Lines::within(bytes).unwrap();
            assert_eq!(lines.count(), (bytes / 64).max(1));
            for i in 0..lines.count() {
                let line = lines.line(i);
                assert_eq!(line.as_ptr().addr() % 64, 0);
                assert!(line.iter().all(|w| w.load(Ordering::Relaxed) == 0));
            }
            assert!(lines.memory_bytes() <= bytes.max(64) + 64);
        }
    }

    /// More memory than the machine has can be reserved only if nothing of it is touched.
    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Lines::within(u64::MAX).is_err());
    }
}
