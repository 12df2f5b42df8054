//! Hashes a worker has put into a lossy store.
//!
//! Half of all arrivals of a search and more are at states that were reached a moment before, from a neighbour. To a store
//! that looks at nothing but the hash of a state, a hash that was put is a state that was seen, for ever; so a small table
//! of the last hashes answers for most of them without a touch of the store.

/// Entries: 64 KiB, which stay in a cache that is near.
const ENTRIES: usize = 1 << 13;

/// See the module. What another hash needs the place of is forgotten.
#[derive(Debug)]
pub(crate) struct HashCache(Box<[u64; ENTRIES]>);

impl HashCache {
    pub(crate) fn new() -> HashCache {
        // What is in an empty place belongs to another one.
        let mut entries = Box::new([0; ENTRIES]);
        entries[0] = 1;
        HashCache(entries)
    }

    /// Takes note of a hash that is going to be put; whether it had been noted before.
    #[inline(always)]
    pub(crate) fn note(&mut self, hash: u64) -> bool {
        std::mem::replace(&mut self.0[hash as usize % ENTRIES], hash) == hash
    }

    /// Forgets everything: what was noted could not be put.
    #[cold]
    pub(crate) fn clear(&mut self) {
        *self = HashCache::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_known_until_another_one_comes() {
        let mut cache = HashCache::new();
        for hash in 0..3 * ENTRIES as u64 {
            assert!(!cache.note(hash), "{hash}");
            assert!(cache.note(hash));
        }
        assert!(!cache.note(1));
        cache.clear();
        assert!(!cache.note(0) && !cache.note(1));
    }
}
