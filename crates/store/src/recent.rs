//! Hashes a worker has lately put into a lossy store.
//!
//! Half of all arrivals of a search and more are at states that were reached a moment before, from a neighbour. To a store
//! that looks at nothing but the hash of a state, a hash that was put is a state that was seen, for ever; so a small table
//! of the last hashes answers for most of them without a touch of the store.

/// Entries: 64 KiB, which stay in a cache that is near.
const ENTRIES: usize = 1 << 13;

/// See the module. What another hash needs the place of is forgotten.
#[derive(Debug)]
pub(crate) struct Recent(Box<[u64; ENTRIES]>);

impl Recent {
    pub(crate) fn new() -> Recent {
        // What is in an empty place belongs to another one.
        let mut entries = Box::new([0; ENTRIES]);
        entries[0] = 1;
        Recent(entries)
    }

    /// Takes note of a hash that is going to be put; whether it had been noted before.
    #[inline(always)]
    pub(crate) fn note(&mut self, hash: u64) -> bool {
        std::mem::replace(&mut self.0[hash as usize % ENTRIES], hash) == hash
    }

    /// Forgets everything: what was noted could not be put.
    #[cold]
    pub(crate) fn clear(&mut self) {
        *self = Recent::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_known_until_another_one_comes() {
        let mut recent = Recent::new();
        for hash in 0..3 * ENTRIES as u64 {
            assert!(!recent.note(hash), "{hash}");
            assert!(recent.note(hash));
        }
        assert!(!recent.note(1));
        recent.clear();
        assert!(!recent.note(0) && !recent.note(1));
    }
}
