//! What happens when the system refuses memory.
//!
//! Tables and arenas get memory from the system themselves, and a search ends in order when that fails ([`crate::memory::block`],
//! [`crate::memory::table_mapping`]). All other allocations are made by code that cannot do without them; Rust would abort the process. A
//! program that makes [`Allocator`] its global one ends with a sentence and an exit code of its own instead.
//!
//! Cost: a comparison with null for each allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;

/// What ends the program.
static ENDING: OnceLock<fn(usize) -> !> = OnceLock::new();

/// From now on the program is ended by this, the first one that was set. Its argument is the number of bytes that were refused; it may
/// use a little memory itself, and is called again when it does not get that either.
pub fn set_ending(refused: fn(usize) -> !) {
    // A second one comes too late.
    let _ = ENDING.set(refused);
}

/// What the system has granted to code that cannot do without it.
///
/// # Panics
/// Panics when it was refused and nothing was set to end the program.
pub(crate) fn granted<T>(what: Option<T>, bytes: usize) -> T {
    what.unwrap_or_else(|| match ENDING.get() {
        Some(end) => end(bytes),
        None => panic!("the system gives no more memory: {bytes} bytes were refused"),
    })
}

/// The system's allocator. When it has nothing left and nothing was set to end the program, Rust aborts the process.
#[derive(Clone, Copy, Debug)]
pub struct Allocator;

impl Allocator {
    #[inline(always)]
    fn check(&self, start: *mut u8, bytes: usize) -> *mut u8 {
        if start.is_null()
            && let Some(end) = ENDING.get()
        {
            end(bytes)
        }
        start
    }
}

// SAFETY: 1. All memory comes from and goes back to the system's allocator, with the layouts that the caller gives. 2. What is
// called when there is none does not return, so that nothing here unwinds; without it, null is handed on as it is.
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
