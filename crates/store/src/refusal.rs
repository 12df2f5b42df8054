//! What happens when the system refuses memory.
//!
//! Tables and arenas ask the system themselves, and a search ends in order when it says no ([`crate::block`],
//! [`crate::room`]). All other memory is asked for by code that cannot do without it; Rust would abort the process. A
//! program that makes [`Allocator`] its global one ends with a sentence and an exit code of its own instead.
//!
//! Cost: a comparison with null for each allocation.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, and what to do when it has nothing left.
#[derive(Clone, Copy, Debug)]
pub struct Allocator {
    /// Ends the program; is told how many bytes could not be had. It may use a little memory itself, and is called again
    /// when it does not get that either.
    pub refused: fn(usize) -> !,
}

impl Allocator {
    #[inline(always)]
    fn check(&self, start: *mut u8, bytes: usize) -> *mut u8 {
        if start.is_null() {
            (self.refused)(bytes)
        }
        start
    }
}

// SAFETY: 1. All memory comes from and goes back to the system's allocator, with the layouts that the caller gives. 2. What is
// called when there is none does not return, so that nothing here unwinds.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the caller.
        self.check(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the caller.
        self.check(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: by the caller.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: by the caller.
        self.check(unsafe { System.realloc(start, layout, bytes) }, bytes)
    }
}
