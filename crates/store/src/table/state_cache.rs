//! A cache of the last states that a worker has put.
//!
//! More than half of the transitions of a search lead to states that were reached a moment before, from a neighbour. A store in
//! which a lookup costs more than a comparison keeps the last states of each worker as they are, in a small table by their
//! hashes; a state found there needs no lookup. The table is direct-mapped: a state replaces the one at its place.

use crate::memory::budget::Account;
use crate::memory::bytes;
use std::sync::Arc;

/// Entries of a table at first, and its bytes at most.
const ENTRIES: usize = 1 << 7;
const BYTES_MAX: usize = 192 << 10;
/// Misses for each entry after which a table is too small.
const MISSES: usize = 4;
/// Lengths that have tables at most.
const LENGTHS_MAX: usize = 64;

/// See the module.
pub(crate) struct StateCache {
    /// By length of states; the one that was used last comes first.
    tables: Vec<Table>,
    account: Arc<Account>,
}

impl StateCache {
    pub(crate) fn new(account: &Arc<Account>) -> StateCache {
        StateCache { tables: Vec::new(), account: account.clone() }
    }

    /// The table for states of a length; `None` when there is no room for one.
    #[inline(always)]
    pub(crate) fn table(&mut self, len: usize) -> Option<&mut Table> {
        if self.tables.first().is_none_or(|table| table.len != len) {
            self.turn_to(len)?;
        }
        self.tables.first_mut()
    }

    #[inline(never)]
    fn turn_to(&mut self, len: usize) -> Option<()> {
        let at = match self.tables.iter().position(|table| table.len == len) {
            Some(at) => at,
            None if self.tables.len() == LENGTHS_MAX => return None,
            None => {
                self.tables.push(Table::new(len, &self.account)?);
                self.tables.len() - 1
            }
        };
        self.tables.swap(0, at);
        Some(())
    }

    /// Forgets everything: what was noted could not be put.
    #[cold]
    pub(crate) fn clear(&mut self) {
        self.tables.clear();
    }
}

/// The last states of one length, or what stands for them.
pub(crate) struct Table {
    len: usize,
    /// Words of an entry: the hash, and the state.
    stride: usize,
    /// The number of entries is a power of two.
    words: Box<[u64]>,
    mask: usize,
    misses: usize,
    account: Arc<Account>,
}

impl Table {
    pub(crate) fn new(len: usize, account: &Arc<Account>) -> Option<Table> {
        let stride = 1 + len.div_ceil(8);
        let words = empty(ENTRIES, stride, account)?;
        Some(Table { len, stride, words, mask: ENTRIES - 1, misses: 0, account: account.clone() })
    }

    /// Takes note of a state that is going to be put; whether it had been noted before.
    ///
    /// # Safety
    /// The state has the length of the table, which takes `WORDS` words as for [`bytes::equal_words`].
    #[inline(always)]
    pub(crate) unsafe fn note<const WORDS: usize>(&mut self, state: &[u8], hash: u64) -> bool {
        debug_assert_eq!(state.len(), self.len);
        let entry = &mut self.words[(hash as usize & self.mask) * self.stride..][..1 + self.len.div_ceil(8)];
        let (head, kept) = entry.split_at_mut(1);
        // SAFETY: an entry has room for a state; words: by the caller.
        unsafe {
            let equal = |kept: &[u64]| bytes::equal_words::<WORDS>(kept.as_ptr().cast(), state.as_ptr(), state.len());
            // Whether it was noted cannot be foreseen: of what is short, nothing depends on it.
            let same = if WORDS > 0 { (head[0] == hash) & equal(kept) } else { head[0] == hash && equal(kept) };
            if WORDS > 0 || !same {
                head[0] = hash;
                bytes::copy_words::<WORDS>(state.as_ptr(), kept.as_mut_ptr().cast(), state.len());
            }
            same
        }
    }

    /// Counts states that were not found: the table becomes larger where they are too many.
    #[inline(always)]
    pub(crate) fn count_misses(&mut self, misses: usize) {
        self.misses += misses;
        if self.misses > MISSES * (self.mask + 1) {
            self.enlarge();
        }
    }

    #[cold]
    fn enlarge(&mut self) {
        self.misses = 0;
        let entries = 2 * (self.mask + 1);
        if entries * self.stride * size_of::<u64>() <= BYTES_MAX
            && let Some(words) = empty(entries, self.stride, &self.account)
        {
            self.account.give_back(size_of_val(&*self.words));
            (self.words, self.mask) = (words, entries - 1);
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.account.give_back(size_of_val(&*self.words));
    }
}

/// Entries in which nothing is; `None` when there is no memory for them.
fn empty(entries: usize, stride: usize, account: &Account) -> Option<Box<[u64]>> {
    let mut words = Vec::new();
    if !account.take(entries * stride * size_of::<u64>()) {
        return None;
    }
    words.resize(entries * stride, 0);
    // The hash in an empty entry belongs to another place.
    words[0] = 1;
    Some(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::budget::Budget;
    use std::collections::HashSet;

    #[test]
    fn only_what_was_noted_is_known() {
        let account = Arc::new(Account::new(Budget::new(None)));
        let mut cache = StateCache::new(&account);
        let mut noted = HashSet::new();
        let (mut known, mut seed) = (0, 1u64);
        for _ in 0..60_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let random = (seed >> 33) as usize;
            // Bad hashes, so that different states often have the same.
            let (len, value, hash) = (random % 5 * 7, random / 5 % 300, (random / 5 % 40) as u64 * 0x0101);
            let state = vec![value as u8; len];
            let table = cache.table(len).unwrap();
            // SAFETY: no words are promised.
            if unsafe { table.note::<0>(&state, hash) } {
                assert!(noted.contains(&(state, hash)));
                known += 1;
            } else {
                table.count_misses(1);
                noted.insert((state, hash));
            }
        }
        assert!(known > 10_000, "{known}");
        cache.clear();
        assert_eq!(account.held_bytes(), 0);
        let table = cache.table(8).unwrap();
        // SAFETY: no words are promised.
        assert!(!unsafe { table.note::<0>(&[0; 8], 0) });
    }
}
