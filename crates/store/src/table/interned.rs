//! Interned keys ([`crate::tree::key`]): a key becomes a dense number, and the number leads back to the key.
//!
//! Keys lie in an arena by number, each with its own length; an index of narrow slots finds them. Leaves and nodes of trees
//! are kept so.
//!
//! Shared between threads: as in [`crate::table::index`] and [`crate::memory::arena`].

use crate::memory::arena::{Arena, OpenChunks};
use crate::memory::block::prefetch;
use crate::memory::budget::Account;
use crate::safepoint::gate::Standing;
use crate::table::index::{Index, Inserted, Keys};
use crate::table::load::Counts;
use crate::tree::key::{Key, WORD_BYTES};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The table.
pub(crate) struct Interned {
    pub(crate) index: Index<AtomicU32>,
    arena: Arena,
}

/// What a worker keeps of it.
pub(crate) struct InternedHandle {
    chunks: OpenChunks,
    counts: Counts,
}

impl InternedHandle {
    pub(crate) fn new() -> InternedHandle {
        InternedHandle { chunks: OpenChunks::default(), counts: Counts::new() }
    }
}

impl Interned {
    pub(crate) fn new(account: &Arc<Account>) -> Option<Interned> {
        Some(Interned { index: Index::new(account)?, arena: Arena::new(account)? })
    }

    /// Bytes of keys and of their index.
    pub(crate) fn bytes(&self) -> u64 {
        self.index.bytes() + self.arena.bytes()
    }

    /// How many keys there are.
    pub(crate) fn count(&self) -> u64 {
        self.arena.states()
    }

    /// More than every number given.
    pub(crate) fn bound(&self) -> u64 {
        self.arena.bound()
    }

    /// Whether a number that was read from the index is that of a key.
    #[inline(always)]
    fn is(&self, number: u32, key: &Key, words: usize) -> bool {
        let place = self.arena.place(number);
        // SAFETY: numbers in an index are those of published keys, which have that number of bytes.
        place.len == words * WORD_BYTES && unsafe { key.is_at(place.start, words) }
    }

    /// The number of a key of `words` words, which is stored where it is missing.
    pub(crate) fn intern(
        &self,
        handle: &mut InternedHandle,
        standing: Standing,
        key: &Key,
        words: usize,
        hash: u64,
    ) -> Inserted {
        let InternedHandle { chunks, counts } = handle;
        let inserted = self.index.insert(
            hash,
            standing,
            counts,
            |number| self.is(number, key, words),
            || chunks.write(key.bytes(words), &self.arena),
        );
        if let Inserted::New(..) = inserted {
            chunks.publish(&self.arena);
        }
        inserted
    }

    /// The number of a key that is there.
    pub(crate) fn find(&self, key: &Key, words: usize) -> Option<u32> {
        self.index.find(key.hash(words), |number| self.is(number, key, words))
    }

    /// The key with this number.
    ///
    /// # Panics
    /// Panics when the number was never given.
    #[inline(always)]
    pub(crate) fn get(&self, number: u32) -> Key {
        let bytes = self.arena.read(u64::from(number));
        // SAFETY: keys have whole words, and these are published.
        unsafe { Key::load(bytes.as_ptr(), bytes.len() / WORD_BYTES) }
    }

    /// The first words of the key with this number; zeros behind its end.
    ///
    /// # Panics
    /// Panics when the number was never given.
    #[inline(always)]
    pub(crate) fn words<const K: usize>(&self, number: u32) -> [u64; K] {
        let place = self.arena.checked_place(u64::from(number));
        let mut words = [0; K];
        for (at, word) in words.iter_mut().enumerate() {
            if at == 0 || at * WORD_BYTES < place.len {
                // SAFETY: a key has whole words, one at least, and this one is published.
                *word = unsafe { place.start.cast::<u64>().add(at).read_unaligned() };
            }
        }
        words
    }

    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self) {
        // SAFETY: by the caller.
        unsafe { self.index.work(&Reader(&self.arena)) }
    }
}

/// Reads keys for growth.
struct Reader<'a>(&'a Arena);

impl Keys for Reader<'_> {
    fn bound(&self) -> u64 {
        self.0.bound()
    }

    fn prefetch(&self, number: u32) {
        prefetch(self.0.place(number).start);
    }

    fn hash(&self, number: u32) -> u64 {
        let place = self.0.place(number);
        let words = place.len / WORD_BYTES;
        // SAFETY: keys have whole words, and those in an index are published.
        unsafe { Key::load(place.start, words) }.hash(words)
    }
}
