//! Memory of the slots of one segment of a table, which is given back to the system when a larger one takes its place.
//!
//! A table of many segments that grow one by one would leave holes behind if each step took a new block of a heap: what a
//! segment leaves fits none of the next. So each segment has a mapping of its own. It can grow in place: the system moves its pages
//! in its tables, where that is needed, and not in memory. Or a fresh one is made, in huge pages where it is large, and the
//! old one is dropped. The account is charged with the size of the mapping.

use crate::memory::block::{LINE_BYTES, Mapping};
use crate::memory::budget::Account;
use memmap2::{MmapMut, MmapRaw};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;
use std::sync::Arc;

/// From this many bytes on, memory comes in pages from the system.
const PAGES_BYTES_MIN: usize = 16 << 10;
pub(crate) const PAGE_BYTES: usize = 4 << 10;
/// From this many bytes on, a fresh mapping lies in huge pages as far as it fills them.
const SLAB_BYTES_MIN: usize = 2 << 20;
/// From this many bytes on, huge pages are requested.
#[cfg(target_os = "linux")]
const HUGE_BYTES_MIN: usize = 4 << 20;

enum Memory {
    Nothing,
    Heap(NonNull<u8>, Layout),
    Pages(MmapRaw),
    Slab(Mapping),
}

/// See the module. It begins at a cache line.
pub(crate) struct TableMapping {
    memory: Memory,
    bytes: usize,
    account: Arc<Account>,
}

// SAFETY: plain memory that is owned by the value.
unsafe impl Send for TableMapping {}

impl TableMapping {
    /// No memory at all.
    pub(crate) fn new(account: &Arc<Account>) -> TableMapping {
        TableMapping { memory: Memory::Nothing, bytes: 0, account: account.clone() }
    }

    /// Where it begins.
    pub(crate) fn start(&self) -> *mut u8 {
        match &self.memory {
            Memory::Nothing => std::ptr::null_mut(),
            Memory::Heap(start, _) => start.as_ptr(),
            Memory::Pages(pages) => pages.as_mut_ptr(),
            Memory::Slab(mapping) => mapping.start(),
        }
    }

    /// What it has, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes it larger, and moves it perhaps; what was in it stays, and zeros follow. False, and nothing has changed, when the
    /// budget or the system refuses.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let unit = if bytes < PAGES_BYTES_MIN { LINE_BYTES } else { PAGE_BYTES };
        let Some(bytes) = bytes.checked_next_multiple_of(unit) else { return false };
        if bytes <= self.bytes {
            return true;
        }
        let more = bytes - self.bytes;
        if !self.account.take(more) {
            return false;
        }
        let grown = self.enlarge(bytes);
        if grown {
            self.bytes = bytes;
        } else {
            self.account.give_back(more);
        }
        grown
    }

    /// Another mapping on the same account, of `bytes` zeros, all of which are going to be used; `None` when the budget
    /// or the system refuses.
    pub(crate) fn fresh(&self, bytes: usize) -> Option<TableMapping> {
        let mut mapping = TableMapping::new(&self.account);
        if bytes < SLAB_BYTES_MIN || cfg!(miri) {
            if !mapping.grow(bytes) {
                return None;
            }
        } else {
            let bytes = bytes.checked_next_multiple_of(PAGE_BYTES)?;
            if !self.account.take(bytes) {
                return None;
            }
            mapping.bytes = bytes;
            // From here on the mapping gives back what it was charged with.
            mapping.memory = Memory::Slab(Mapping::zeroed(bytes)?);
        }
        Some(mapping)
    }

    fn enlarge(&mut self, bytes: usize) -> bool {
        #[cfg(target_os = "linux")]
        if let Memory::Pages(pages) = &mut self.memory {
            // SAFETY: there is no file behind it; and only the owner of the mapping, which calls this, uses its memory.
            let moved = unsafe { pages.remap(bytes, memmap2::RemapOptions::new().may_move(true)) }.is_ok();
            if moved && bytes >= HUGE_BYTES_MIN {
                // Only advice, which costs no memory: a huge page is used only where all of it lies inside.
                let _ = pages.advise(memmap2::Advice::HugePage);
            }
            return moved;
        }
        let Some(memory) = take(bytes) else { return false };
        let new = TableMapping { memory, bytes: 0, account: self.account.clone() };
        // SAFETY: the new memory is larger, and no other code can reach it.
        unsafe { std::ptr::copy_nonoverlapping(self.start().cast_const(), new.start(), self.bytes) };
        self.memory = new.into_memory(std::mem::replace(&mut self.memory, Memory::Nothing));
        true
    }

    /// Its memory; the other one is freed.
    fn into_memory(mut self, old: Memory) -> Memory {
        std::mem::replace(&mut self.memory, old)
    }
}

/// Memory of zeros from the system.
fn take(bytes: usize) -> Option<Memory> {
    if bytes >= PAGES_BYTES_MIN && !cfg!(miri) {
        return MmapMut::map_anon(bytes).ok().map(|pages| Memory::Pages(pages.into()));
    }
    let layout = Layout::from_size_align(bytes, LINE_BYTES).ok()?;
    // SAFETY: the layout has at least a line.
    NonNull::new(unsafe { System.alloc_zeroed(layout) }).map(|start| Memory::Heap(start, layout))
}

impl Drop for TableMapping {
    fn drop(&mut self) {
        self.account.give_back(self.bytes);
        if let Memory::Heap(start, layout) = self.memory {
            // SAFETY: allocated in `take` with this layout, and freed only here.
            unsafe { System.dealloc(start.as_ptr(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::budget::Budget;

    #[test]
    fn what_was_there_stays_and_zeros_follow() {
        let account = Arc::new(Account::new(Budget::new(Some(200_000))));
        let mut mapping = TableMapping::new(&account);
        let mut written = 0;
        for bytes in [1, 64, 65, 1000, 16_000, 16_385, 20_000, 70_000, 150_000] {
            assert!(mapping.grow(bytes));
            assert!(mapping.bytes() >= bytes && account.held_bytes() == mapping.bytes() as u64);
            assert_eq!(mapping.start().align_offset(LINE_BYTES), 0);
            // SAFETY: the mapping has that number of bytes and is ours.
            let memory = unsafe { std::slice::from_raw_parts_mut(mapping.start(), mapping.bytes()) };
            assert!(memory[..written].iter().enumerate().all(|(at, &byte)| byte == at as u8 | 1));
            assert!(memory[written..].iter().all(|&byte| byte == 0));
            memory.iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8 | 1);
            written = mapping.bytes();
        }
        assert!(!mapping.grow(300_000));
        assert_eq!(mapping.bytes(), written);
        drop(mapping);
        assert_eq!(account.held_bytes(), 0);
    }
}
