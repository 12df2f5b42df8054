//! A cache of the last hashes that a worker has put into a lossy store.
//!
//! More than half of the transitions of a search lead to states that were reached a moment before, from a neighbour. To a store
//! that uses nothing but the hash of a state, a hash that was put is a state that was seen; so a small table
//! of the last hashes answers most of them without an access to the store.

/// Entries: 64 KiB, which fit a second-level cache.
const ENTRIES: usize = 1 << 13;

/// Direct-mapped: a hash replaces the one at its place.
#[derive(Debug)]
pub(crate) struct HashCache(Box<[u64; ENTRIES]>);

impl HashCache {
    pub(crate) fn new() -> HashCache {
        // The content of an empty place is a hash of another place.
        let mut entries = Box::new([0; ENTRIES]);
        entries[0] = 1;
        HashCache(entries)
    }

    /// Notes a hash that is going to be put; true when it was noted before.
    #[inline(always)]
    pub(crate) fn note(&mut self, hash: u64) -> bool {
        std::mem::replace(&mut self.0[hash as usize % ENTRIES], hash) == hash
    }

    /// Clears the cache, because hashes that were noted could not be put.
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
