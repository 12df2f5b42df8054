//! Blocks of memory: aligned to cache lines, accounted for, and never an abort when there is none left.
//!
//! A table that grows by segments takes many blocks and gives them back soon after. Asking the system for each one would
//! pay for fresh pages again and again; instead a [`Pool`] takes large *slabs* from the system, cuts blocks off them one
//! after the other, and uses a slab again when all its blocks are back. Tables give blocks back roughly in the order in
//! which they took them, so that few slabs are ever half empty. What is charged to the account is what was touched.
//! Large slabs ask for huge pages: a random access into a large table otherwise costs a walk of the page table.
//!
//! Shared between threads: the list of slabs, behind a mutex that is taken once per block.

use crate::budget::Account;
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
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
/// Blocks of a slab that is used again at least: with few, much of it would lie idle.
const SLAB_BLOCKS_MIN: usize = 4;

/// Memory from the system, one line at least, zeroed; costs nothing before it is touched.
pub(crate) enum Mapping {
    Heap { start: NonNull<u8>, layout: Layout },
    Pages(MmapMut),
}

// SAFETY: plain memory that belongs to whoever holds the value.
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
                // Only advice: a system that does not know it is slower and no less right.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            return Some(Mapping::Pages(map));
        }
        // The allocator is asked for a small alignment only: for a larger one, zeroing would touch every page.
        let layout = Layout::from_size_align(bytes.checked_add(LINE_BYTES)?, 16).ok()?;
        // SAFETY: the layout has a size of at least 64 bytes.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
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
        // The mapping is longer than what was asked for by as much as aligning can cost.
        start.wrapping_add(start.align_offset(align))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let Mapping::Heap { start, layout } = self {
            // SAFETY: allocated in `zeroed` with this layout, and freed only here.
            unsafe { dealloc(start.as_ptr(), *layout) }
        }
    }
}

/// A piece of memory; it stays valid until it is given back or the pool is dropped.
#[derive(Debug)]
pub(crate) struct Block {
    start: *mut u8,
    slab: usize,
}

// SAFETY: plain memory that belongs to whoever holds the value.
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
    /// The most that was ever cut off: what lies behind is still zero, and not charged.
    touched: usize,
    /// Blocks that are out.
    blocks: usize,
}

#[derive(Default)]
struct Slabs {
    list: Vec<Option<Slab>>,
    /// The one from which blocks are cut.
    current: usize,
    mapped_bytes: usize,
}

/// Where blocks come from.
pub(crate) struct Pool {
    account: Arc<Account>,
    slabs: Mutex<Slabs>,
}

impl Pool {
    pub(crate) fn new(account: Arc<Account>) -> Pool {
        Pool { account, slabs: Mutex::default() }
    }

    /// What is held, and the budget behind it.
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// A block of zeros; `None` when the budget or the system refuses.
    pub(crate) fn zeroed(&self, bytes: usize) -> Option<Block> {
        let (block, dirty) = self.take(bytes)?;
        // SAFETY: the first `dirty` bytes are part of the block, which nobody else knows yet.
        unsafe { block.start.write_bytes(0, dirty) };
        Some(block)
    }

    /// A block of whatever was there; `None` when the budget or the system refuses.
    pub(crate) fn raw(&self, bytes: usize) -> Option<Block> {
        self.take(bytes).map(|(block, _)| block)
    }

    /// A block, and how many bytes at its beginning may be other than zero.
    fn take(&self, bytes: usize) -> Option<(Block, usize)> {
        let bytes = bytes.checked_next_multiple_of(LINE_BYTES)?;
        let mut slabs = self.lock();
        let fits = |slab: &Slab| slab.bytes - slab.used >= bytes;
        let current = slabs.current;
        if !slabs.list.get(current).and_then(Option::as_ref).is_some_and(fits) {
            slabs.current = self.other_slab(&mut slabs, bytes)?;
        }
        let number = slabs.current;
        let slab = slabs.list[number].as_ref()?;
        let end = slab.used + bytes;
        let dirty = slab.touched.saturating_sub(slab.used).min(bytes);
        if end > slab.touched {
            let more = end - slab.touched;
            if !self.account.take(more) {
                self.shed(&mut slabs);
                if !self.account.take(more) {
                    return None;
                }
            }
            let slab = slabs.list[number].as_mut()?;
            slab.touched = end;
        }
        let slab = slabs.list[number].as_mut()?;
        // SAFETY: inside the slab.
        let start = unsafe { slab.mapping.start().add(slab.used) };
        slab.used = end;
        slab.blocks += 1;
        Some((Block { start, slab: number }, dirty))
    }

    /// An empty slab with so much room: one that is back, or a new one.
    fn other_slab(&self, slabs: &mut Slabs, bytes: usize) -> Option<usize> {
        let mut vacant = None;
        for (number, entry) in slabs.list.iter_mut().enumerate() {
            match entry {
                Some(slab) if slab.blocks == 0 && slab.bytes >= bytes * SLAB_BLOCKS_MIN => {
                    slab.used = 0;
                    return Some(number);
                }
                // Blocks become larger with time: a slab of which much would be left over now will not be of use again.
                Some(slab) if slab.blocks == 0 => {
                    self.account.give_back(slab.touched);
                    slabs.mapped_bytes -= slab.bytes;
                    *entry = None;
                    vacant = Some(number);
                }
                Some(_) => {}
                None => vacant = Some(number),
            }
        }
        let share = (slabs.mapped_bytes / SLAB_SHARE).next_power_of_two().clamp(SLAB_BYTES_MIN, SLAB_BYTES_MAX);
        let size = share.max(bytes.checked_mul(SLAB_BLOCKS)?);
        let slab = Slab { mapping: Mapping::zeroed(size)?, bytes: size, used: 0, touched: 0, blocks: 0 };
        slabs.mapped_bytes += size;
        let number = vacant.unwrap_or(slabs.list.len());
        if number == slabs.list.len() {
            slabs.list.push(None);
        }
        slabs.list[number] = Some(slab);
        Some(number)
    }

    /// Gives empty slabs back to the system, all but the current one.
    #[cold]
    fn shed(&self, slabs: &mut Slabs) {
        for number in 0..slabs.list.len() {
            if number != slabs.current && slabs.list[number].as_ref().is_some_and(|slab| slab.blocks == 0) {
                let slab = slabs.list[number].take().expect("just seen");
                self.account.give_back(slab.touched);
                slabs.mapped_bytes -= slab.bytes;
            }
        }
    }

    /// What was taken from the account for blocks, given back ones included that can be used again.
    pub(crate) fn touched_bytes(&self) -> u64 {
        self.lock().list.iter().flatten().map(|slab| slab.touched as u64).sum()
    }

    /// Gives back to the system what is not used at present.
    pub(crate) fn trim(&self) {
        self.shed(&mut self.lock());
    }

    /// Takes a block back.
    pub(crate) fn give_back(&self, block: Block) {
        let mut slabs = self.lock();
        let slab = slabs.list[block.slab].as_mut().expect("a block's slab is there");
        slab.blocks -= 1;
        if slab.blocks == 0 {
            slab.used = 0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slabs> {
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
    use crate::budget::Budget;

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
    fn blocks_do_not_overlap_and_slabs_are_used_again() {
        let pool = Pool::new(Arc::new(Account::new(Budget::new(None))));
        let mut blocks: Vec<(Block, u8, usize)> = Vec::new();
        let mut random = 1u64;
        for round in 0..3000usize {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if blocks.len() > 40 {
                let (block, fill, bytes) = blocks.swap_remove((random >> 40) as usize % blocks.len());
                // SAFETY: the block is ours and so long.
                assert!(unsafe { std::slice::from_raw_parts(block.start(), bytes) }.iter().all(|&b| b == fill));
                pool.give_back(block);
            }
            let bytes = 1 + (random >> 50) as usize * if cfg!(miri) { 1 } else { 4 };
            let block = pool.zeroed(bytes).expect("no limit");
            assert_eq!(block.start().align_offset(LINE_BYTES), 0);
            // SAFETY: as above.
            let memory = unsafe { std::slice::from_raw_parts_mut(block.start(), bytes) };
            assert!(memory.iter().all(|&b| b == 0));
            memory.fill(round as u8);
            blocks.push((block, round as u8, bytes));
            if cfg!(miri) && round > 200 {
                break;
            }
        }
        // 41 blocks of 64 KiB at most are out; recycling in random order needs a few times as much.
        assert!(pool.account().held_bytes() < 32 << 20, "{}", pool.account().held_bytes());
    }

    #[test]
    fn a_small_budget_refuses() {
        let pool = Pool::new(Arc::new(Account::new(Budget::new(Some(100_000)))));
        let first = pool.zeroed(60_000).expect("there is room");
        assert!(pool.zeroed(60_000).is_none());
        pool.give_back(first);
        pool.trim();
        assert!(pool.zeroed(60_000).is_some());
        assert!(pool.account().held_bytes() <= 100_000);
    }
}
