//! The first states of a lossy store, before its memory is touched.
//!
//! A filter or a table of fingerprints is as large as the user allows, whatever the model is. Each of its states touches a
//! page of its own, so that a small model would pay for thousands of pages, and a large one for all of them one by one; huge
//! pages are far cheaper where all are touched, and far more expensive where few are. So the keys of the first states are kept in
//! an ordered set; when most pages are going to be touched, all keys move into the store, which is mapped with huge
//! pages. No state is omitted meanwhile: these states are so few that predictions ignore them.
//!
//! Shared between threads: the set, behind a mutex that is taken for each state while there are few; afterwards a flag that is
//! only read.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const PAGE_BYTES: u64 = 4096;
/// Pages of the store for each state of the set at most: touching them one by one would by then have cost about half of what
/// all of them cost as huge pages.
const PAGES_A_STATE: u64 = 8;

/// The part of a state that a lossy store uses.
pub(crate) type Key = (u64, u64);

/// See the module.
#[derive(Debug)]
pub(crate) struct StagingSet {
    /// Whether all keys are in the store.
    drained: AtomicBool,
    states_max: usize,
    keys: Mutex<BTreeSet<Key>>,
}

impl StagingSet {
    /// For a store of this size.
    pub(crate) fn new(memory_bytes: u64) -> StagingSet {
        let states_max = (memory_bytes / PAGE_BYTES / PAGES_A_STATE) as usize;
        StagingSet { drained: AtomicBool::new(states_max == 0), states_max, keys: Mutex::default() }
    }

    /// Whether all keys have gone into the store. Once true, it stays so.
    #[inline(always)]
    pub(crate) fn is_drained(&self) -> bool {
        self.drained.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Key>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Inserts a key; true when it is new, `None` when keys go into the store. The insertion that fills the set moves all keys
    /// all, by `store`.
    pub(crate) fn put(&self, key: Key, store: impl FnMut(Key)) -> Option<bool> {
        let mut keys = self.lock();
        if self.is_drained() {
            return None;
        }
        let new = keys.insert(key);
        if keys.len() == self.states_max {
            std::mem::take(&mut *keys).into_iter().for_each(store);
            self.drained.store(true, Ordering::Release);
        }
        Some(new)
    }

    /// Whether a key is there; `None` when keys are in the store.
    pub(crate) fn has(&self, key: Key) -> Option<bool> {
        let keys = self.lock();
        (!self.is_drained()).then(|| keys.contains(&key))
    }

    /// How many keys there are; `None` when they are in the store.
    pub(crate) fn count(&self) -> Option<usize> {
        let keys = self.lock();
        (!self.is_drained()).then(|| keys.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_into_the_store_once() {
        let staging = StagingSet::new(10 * PAGES_A_STATE * PAGE_BYTES);
        let mut stored = Vec::new();
        for key in [5, 3, 5, 9, 1, 3, 7, 2, 8, 4, 6] {
            let new = !stored.contains(&(key, 0)) && staging.has((key, 0)) == Some(false);
            assert_eq!(staging.put((key, 0), |key| stored.push(key)), Some(new));
            assert!(!staging.is_drained());
        }
        assert_eq!((staging.count(), stored.len()), (Some(9), 0));
        assert_eq!(staging.put((10, 0), |key| stored.push(key)), Some(true));
        assert_eq!(stored, (1..=10).map(|key| (key, 0)).collect::<Vec<_>>());
        assert!(staging.is_drained() && staging.has((1, 0)).is_none() && staging.count().is_none());
        assert_eq!(staging.put((11, 0), |_| panic!("all are moved")), None);
    }

    #[test]
    fn small_stores_have_none() {
        assert!(StagingSet::new((PAGES_A_STATE - 1) * PAGE_BYTES).is_drained());
    }
}
