//! How much memory may be used, and how much is.
//!
//! A [`Budget`] is shared by everything that stores states in one check. Every large block is taken from it *before* it is
//! allocated, also the second copy that growing a table needs for a moment; a store that is refused continues with what it has and
//! answers "full" in the end. Nothing relies on the allocator failing. An [`Account`] is what one store holds of a budget.
//!
//! Shared between threads: two counters, touched once per block, never per state.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Blocks of at least this many bytes must be taken from the budget, 64 KiB. Smaller ones may be.
pub const BLOCK_BYTES_MIN: usize = 64 << 10;

/// A limit of memory for several parts of a check together.
#[derive(Debug)]
pub struct Budget {
    limit_bytes: u64,
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

impl Budget {
    /// A budget of this many bytes; `None` is no limit.
    pub fn new(limit_bytes: Option<u64>) -> Arc<Budget> {
        Arc::new(Budget {
            limit_bytes: limit_bytes.unwrap_or(u64::MAX),
            used_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
        })
    }

    /// Takes this many bytes; false, and nothing is taken, when they are not left.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        let mut used = self.used_bytes.load(Relaxed);
        loop {
            let Some(more) = used.checked_add(bytes).filter(|&more| more <= self.limit_bytes) else { return false };
            match self.used_bytes.compare_exchange_weak(used, more, Relaxed, Relaxed) {
                Ok(_) => {
                    self.peak_bytes.fetch_max(more, Relaxed);
                    return true;
                }
                Err(now) => used = now,
            }
        }
    }

    /// Gives bytes back that were taken.
    pub fn give_back(&self, bytes: u64) {
        let before = self.used_bytes.fetch_sub(bytes, Relaxed);
        assert!(before >= bytes, "more memory given back than was taken");
    }

    /// The limit in bytes, where there is one.
    pub fn limit_bytes(&self) -> Option<u64> {
        (self.limit_bytes != u64::MAX).then_some(self.limit_bytes)
    }

    /// What is taken now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Relaxed)
    }

    /// The most that was taken at any time.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Relaxed)
    }
}

/// What one store holds of a budget; gives everything back when it is dropped.
#[derive(Debug)]
pub struct Account {
    budget: Arc<Budget>,
    held_bytes: AtomicU64,
}

impl Account {
    /// An account that holds nothing yet.
    pub fn new(budget: Arc<Budget>) -> Account {
        Account { budget, held_bytes: AtomicU64::new(0) }
    }

    /// Takes bytes from the budget; false when they are not left.
    #[must_use]
    pub fn take(&self, bytes: usize) -> bool {
        let taken = self.budget.take(bytes as u64);
        if taken {
            self.held_bytes.fetch_add(bytes as u64, Relaxed);
        }
        taken
    }

    /// Gives bytes back to the budget.
    pub fn give_back(&self, bytes: usize) {
        self.held_bytes.fetch_sub(bytes as u64, Relaxed);
        self.budget.give_back(bytes as u64);
    }

    /// What is held now.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes.load(Relaxed)
    }

    /// The budget behind it.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.budget.give_back(self.held_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_left_is_refused() {
        let budget = Budget::new(Some(100));
        let (first, second) = (Account::new(budget.clone()), Account::new(budget.clone()));
        assert!(first.take(60));
        assert!(!second.take(41));
        assert!(second.take(40));
        assert_eq!((first.held_bytes(), second.held_bytes(), budget.used_bytes()), (60, 40, 100));
        first.give_back(10);
        drop(first);
        assert_eq!((budget.used_bytes(), budget.peak_bytes()), (40, 100));
        assert!(!budget.take(u64::MAX));
    }

    #[test]
    fn no_limit_is_no_limit() {
        let budget = Budget::new(None);
        assert_eq!(budget.limit_bytes(), None);
        assert!(budget.take(1 << 50));
    }
}
