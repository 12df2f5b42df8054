//! Interned keys of up to sixteen bytes: a key becomes a dense number, and the number leads back to the key.
//!
//! Keys lie in an arena by number, each with its own length; an index of narrow slots finds them. Leaves and nodes of trees
//! are kept so.
//!
//! Shared between threads: as in [`crate::index`] and [`crate::arena`].

use crate::arena::{Arena, OpenChunks};
use crate::block::prefetch;
use crate::budget::Account;
use crate::gate::Standing;
use crate::index::{Index, Inserted, Keys};
use crate::load::Counts;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The hash of a key of so many bytes.
#[inline(always)]
pub(crate) fn hash(key: u128, bytes: usize) -> u64 {
    // A product of both halves, folded, and spread once more, because the table goes by the top bits.
    let low = (key as u64) ^ 0xD6E8_FEB8_6659_FD93;
    let high = ((key >> 64) as u64).wrapping_add((bytes as u64) << 56) ^ 0x9E6C_63D0_876A_68EF;
    let product = u128::from(low) * u128::from(high);
    let folded = (product as u64) ^ ((product >> 64) as u64);
    let spread = (folded ^ (folded >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    spread ^ (spread >> 32)
}

/// The bytes of a key, as a number. No call, because it is needed for every state that is read.
#[inline]
fn key_of(bytes: &[u8]) -> u128 {
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        // Two words that may overlap: the bytes of both are the same.
        return u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << (8 * (len - 8));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
    }
    bytes.iter().rev().fold(0, |key, &byte| key << 8 | u128::from(byte))
}

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

    /// The number of a key, which is stored where it is missing.
    #[inline]
    pub(crate) fn intern(
        &self,
        handle: &mut InternedHandle,
        standing: Standing,
        key: u128,
        bytes: usize,
        hash: u64,
    ) -> Inserted {
        let all = key.to_le_bytes();
        let wanted = &all[..bytes];
        let InternedHandle { chunks, counts } = handle;
        let inserted = self.index.insert(
            hash,
            standing,
            counts,
            |number| self.arena.holds(number, wanted),
            || chunks.write(wanted, &self.arena),
        );
        if let Inserted::New(..) = inserted {
            chunks.publish(&self.arena);
        }
        inserted
    }

    /// The number of a key that is there.
    pub(crate) fn find(&self, key: u128, bytes: usize) -> Option<u32> {
        let all = key.to_le_bytes();
        self.index.find(hash(key, bytes), |number| self.arena.holds(number, &all[..bytes]))
    }

    /// The key with this number.
    ///
    /// # Panics
    /// Panics when the number was never given.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> u128 {
        key_of(self.arena.read(u64::from(number)))
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
        let bytes = self.0.read(u64::from(number));
        hash(key_of(bytes), bytes.len())
    }
}
