//! A thread with room for deep recursion.
//!
//! Parsing, printing and dropping a tree recurse as deep as the tree is. Models made by programs nest deeper than the
//! eight megabytes of a main thread allow, so that the front end runs on a thread of its own. The stack is address
//! space until it is touched: a small model pays nothing for it.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::Builder;

/// Sizes to try, largest first: a machine that forbids overcommitment may refuse the first ones.
const SIZES: [usize; 4] = [1 << 30, 1 << 28, 1 << 26, 1 << 24];

/// Runs `work` on a thread with a big stack and returns what it returns; a panic passes through.
pub fn with_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // Only a thread that did start takes the work out.
    let work = Mutex::new(Some(work));
    let run = || {
        let taken = work.lock().expect("no panic while the lock is held").take();
        taken.expect("the work is done once")()
    };
    std::thread::scope(|scope| {
        // Of limited address space, most is left to what the work itself asks for.
        let room = crate::memory::address_space_bytes().map_or(u64::MAX, |bytes| bytes / 8);
        for size in SIZES.into_iter().filter(|size| *size as u64 <= room) {
            if let Ok(thread) = Builder::new().name("ferrospin".into()).stack_size(size).spawn_scoped(scope, run) {
                return thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        }
        run()
    })
}

#[cfg(test)]
mod tests {
    use super::with_big_stack;

    /// Far deeper than the two megabytes of a test thread allow.
    fn depth(n: u64) -> u64 {
        let frame = std::hint::black_box([n; 32]);
        if n == 0 { 0 } else { 1 + depth(frame[31] - 1) }
    }

    #[test]
    fn deep_recursion_is_safe() {
        assert_eq!(with_big_stack(|| depth(100_000)), 100_000);
    }

    #[test]
    fn a_panic_passes_through() {
        let caught = std::panic::catch_unwind(|| with_big_stack(|| std::panic::panic_any("deep")));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"deep"));
    }
}
