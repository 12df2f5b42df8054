//! Blocks of memory: zeroed, aligned to cache lines, accounted for, and never an abort when there is none left.
//!
//! Zeroed blocks come from the allocator as such, so that large ones are fresh pages which cost nothing before they are
//! touched. A block does not know what lies in it and is not initialised behind the back of its owner.

use crate::budget::Account;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Bytes of a cache line.
pub(crate) const LINE_BYTES: usize = 64;

/// A piece of memory, aligned to a cache line.
pub(crate) struct Block {
    allocation: NonNull<u8>,
    layout: Layout,
    start: NonNull<u8>,
    /// What was taken from the account.
    bytes: usize,
}

// SAFETY: a block is plain memory that belongs to whoever holds the value; what is done through its pointer is the
// business of the owner.
unsafe impl Send for Block {}
// SAFETY: a shared block only gives away a pointer.
unsafe impl Sync for Block {}

impl Block {
    /// A block of zeros; `None` when the budget or the allocator refuses.
    pub(crate) fn zeroed(bytes: usize, account: &Account) -> Option<Block> {
        Block::take(bytes, account, true)
    }

    /// A block of whatever was there; `None` when the budget or the allocator refuses.
    pub(crate) fn raw(bytes: usize, account: &Account) -> Option<Block> {
        Block::take(bytes, account, false)
    }

    /// A block that the account does not know, for directories of which only little is ever touched.
    pub(crate) fn reserved(bytes: usize) -> Option<Block> {
        Block::allocate(bytes, true)
    }

    fn take(bytes: usize, account: &Account, zeroed: bool) -> Option<Block> {
        if !account.take(bytes) {
            return None;
        }
        let block = Block::allocate(bytes, zeroed);
        if block.is_none() {
            account.give_back(bytes);
        }
        block
    }

    fn allocate(bytes: usize, zeroed: bool) -> Option<Block> {
        // The allocator is asked for a small alignment only: for a larger one, zeroing would touch every page.
        let layout = Layout::from_size_align(bytes.checked_add(LINE_BYTES)?, 16).ok()?;
        // SAFETY: the layout has a size of at least 64 bytes.
        let allocation = NonNull::new(unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } })?;
        let offset = allocation.align_offset(LINE_BYTES);
        assert!(offset < LINE_BYTES);
        // SAFETY: the allocation is longer by a whole line than what is asked for.
        let start = unsafe { allocation.add(offset) };
        Some(Block { allocation, layout, start, bytes })
    }

    /// Where it begins.
    #[inline]
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Gives it back, also to the account it was taken from.
    pub(crate) fn release(self, account: &Account) {
        account.give_back(self.bytes);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `allocate` with this layout, and freed only here.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) }
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
