//! Blocks of memory: aligned to cache lines, accounted for, and never an abort when there is none left.
//!
//! A [`Pool`] takes large *slabs* from the system and cuts blocks off them one after the other; all live as long as the
//! pool. What is charged to the account is what was cut off. Large slabs ask for huge pages: a random access into a large
//! arena otherwise costs a walk of the page table. (What grows and moves has a [`crate::memory::table_mapping`] instead.)
//!
//! Shared between threads: the list of slabs, behind a mutex that is taken once per block.

use crate::memory::budget::Account;
use memmap2::MmapMut;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a cache line.
pub(crate) const LINE_BYTES: usize = 64;
const HUGE_PAGE_BYTES: usize = 2 << 20;
const SLAB_BYTES_MIN: usize = 64 << 10;
const SLAB_BYTES_MAX: usize = 32 << 20;
/// A new slab is as large as this part of what the pool has already: large enough for huge pages in large tables, and small
/// enough that little memory waits in slabs of which one block is still out.
const SLAB_SHARE: usize = 32;
/// Blocks of a new slab at least.
const SLAB_BLOCKS: usize = 8;
/// Memory from the system, one line at least, zeroed; costs nothing before it is touched.
pub(crate) enum Mapping {
    Heap { start: NonNull<u8>, layout: Layout },
    Pages(MmapMut),
}

// SAFETY: plain memory that is owned by the value.
unsafe impl Send for Mapping {}
// SAFETY: a shared mapping only gives away a pointer.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// `None` when the system refuses.
    pub(crate) fn zeroed(bytes: usize) -> Option<Mapping> {
        let pages = bytes >= SLAB_BYTES_MIN && !cfg!(miri);
        if pages {
            let huge = bytes >= HUGE_PAGE_BYTES;
            let map = MmapMut::map_anon(bytes.checked_add(if huge { HUGE_PAGE_BYTES } else { 0 })?).ok()?;
            #[cfg(target_os = "linux")]
            if huge {
                // Only advice: a system without huge pages is slower and no less correct. And only for huge pages that
                // are filled: what is touched of the last one would bring in all of it.
                let offset = map.as_ptr().align_offset(HUGE_PAGE_BYTES);
                let _ = map.advise_range(memmap2::Advice::HugePage, offset, bytes & !(HUGE_PAGE_BYTES - 1));
            }
            return Some(Mapping::Pages(map));
        }
        // The alignment is small: for a larger one, the allocator would zero every page itself.
        let layout = Layout::from_size_align(bytes.checked_add(LINE_BYTES)?, 16).ok()?;
        // SAFETY: the layout has a size of at least 64 bytes.
        let start = NonNull::new(unsafe { System.alloc_zeroed(layout) })?;
        Some(Mapping::Heap { start, layout })
    }

    /// Memory of which only little will be touched: no huge pages.
    pub(crate) fn sparse(bytes: usize) -> Option<Mapping> {
        // Pages that are not touched cost nothing; `start` may skip up to a huge page of them.
        let len = bytes.checked_add(HUGE_PAGE_BYTES)?;
        if cfg!(miri) { Mapping::zeroed(bytes) } else { MmapMut::map_anon(len).ok().map(Mapping::Pages) }
    }

    /// Where it begins: at a line, or at a huge page where it is as large as one.
    pub(crate) fn start(&self) -> *mut u8 {
        let (start, align) = match self {
            Mapping::Heap { start, .. } => (start.as_ptr(), LINE_BYTES),
            Mapping::Pages(map) if map.len() > HUGE_PAGE_BYTES => (map.as_ptr().cast_mut(), HUGE_PAGE_BYTES),
            Mapping::Pages(map) => (map.as_ptr().cast_mut(), LINE_BYTES),
        };
        // The mapping is longer than requested by as much as aligning can cost.
        start.wrapping_add(start.align_offset(align))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let Mapping::Heap { start, layout } = self {
            // SAFETY: allocated in `zeroed` with this layout, and freed only here.
            unsafe { System.dealloc(start.as_ptr(), *layout) }
        }
    }
}

/// A piece of memory; it stays valid until the pool is dropped.
#[derive(Debug)]
pub(crate) struct Block {
    start: *mut u8,
}

// SAFETY: plain memory that is owned by the value.
unsafe impl Send for Block {}

impl Block {
    /// Where it begins.
    #[inline]
    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }
}

struct Slab {
    mapping: Mapping,
    bytes: usize,
    /// Where the next block is cut off.
    used: usize,
}

/// Where blocks come from.
pub(crate) struct Pool {
    account: Arc<Account>,
    /// Blocks are cut off the last one.
    slabs: Mutex<Vec<Slab>>,
}

impl Pool {
    pub(crate) fn new(account: Arc<Account>) -> Pool {
        Pool { account, slabs: Mutex::default() }
    }

    /// What is held, and the budget behind it.
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// A block of whatever was there; `None` when the budget or the system refuses.
    pub(crate) fn raw(&self, bytes: usize) -> Option<Block> {
        let bytes = bytes.checked_next_multiple_of(LINE_BYTES)?;
        let mut slabs = self.lock();
        if slabs.last().is_none_or(|slab| slab.bytes - slab.used < bytes) {
            let mapped: usize = slabs.iter().map(|slab| slab.bytes).sum();
            let share = (mapped / SLAB_SHARE).next_power_of_two().clamp(SLAB_BYTES_MIN, SLAB_BYTES_MAX);
            let size = share.max(bytes.checked_mul(SLAB_BLOCKS)?);
            // A pool that has as much as a huge page takes whole ones from then on.
            let size = if mapped < HUGE_PAGE_BYTES { size } else { size.max(HUGE_PAGE_BYTES) };
            slabs.push(Slab { mapping: Mapping::zeroed(size)?, bytes: size, used: 0 });
        }
        let slab = slabs.last_mut()?;
        if !self.account.take(bytes) {
            return None;
        }
        // SAFETY: inside the slab.
        let start = unsafe { slab.mapping.start().add(slab.used) };
        slab.used += bytes;
        Some(Block { start })
    }

    /// What was cut off, in bytes.
    pub(crate) fn touched_bytes(&self) -> u64 {
        self.lock().iter().map(|slab| slab.used as u64).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slab>> {
        self.slabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Brings the line at this address near; only a hint.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: prefetching has no effect on memory, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::budget::Budget;

    #[test]
    fn a_mapping_has_room_behind_its_start() {
        for bytes in [1, 1 << 20, HUGE_PAGE_BYTES - 1, HUGE_PAGE_BYTES, HUGE_PAGE_BYTES + 1, 5 << 20] {
            for mapping in [Mapping::zeroed(bytes), Mapping::sparse(bytes)] {
                let mapping = mapping.expect("memory");
                let end = match &mapping {
                    Mapping::Heap { start, layout } => start.as_ptr() as usize + layout.size(),
                    Mapping::Pages(map) => map.as_ptr() as usize + map.len(),
                };
                assert!(mapping.start() as usize + bytes <= end, "{bytes}");
            }
        }
    }

    #[test]
    fn blocks_do_not_overlap() {
        let pool = Pool::new(Arc::new(Account::new(Budget::new(None))));
        let mut blocks: Vec<(Block, u8, usize)> = Vec::new();
        let mut random = 1u64;
        for round in 0..if cfg!(miri) { 60 } else { 600usize } {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let bytes = 1 + (random >> 50) as usize * if cfg!(miri) { 1 } else { 4 };
            let block = pool.raw(bytes).expect("no limit");
            assert_eq!(block.start().align_offset(LINE_BYTES), 0);
            // SAFETY: the block is ours and so long.
            unsafe { std::slice::from_raw_parts_mut(block.start(), bytes) }.fill(round as u8);
            blocks.push((block, round as u8, bytes));
        }
        for (block, fill, bytes) in &blocks {
            // SAFETY: as above.
            assert!(unsafe { std::slice::from_raw_parts(block.start(), *bytes) }.iter().all(|byte| byte == fill));
        }
        assert_eq!(pool.account().held_bytes(), pool.touched_bytes());
    }

    #[test]
    fn a_small_budget_refuses() {
        let pool = Pool::new(Arc::new(Account::new(Budget::new(Some(100_000)))));
        assert!(pool.raw(60_000).is_some());
        assert!(pool.raw(60_000).is_none());
        assert!(pool.raw(30_000).is_some());
        assert!(pool.account().held_bytes() <= 100_000);
    }
}
