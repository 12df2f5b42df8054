//! States of two leaves on their way to their roots, a group at a time.
//!
//! Three passes without unpredictable branches. The bits of both leaves are extracted from each state; as
//! they determine the state, and are shorter, a small cache of those that the worker has put answers most states that are seen
//! ([`crate::table::state_cache`]). The keys of the others become numbers: nearly all are in the worker's own cache, and only
//! the rest is looked up in the shared table. In the third pass the store keeps the roots.

use crate::memory::budget::Account;
use crate::safepoint::gate::Standing;
use crate::table::index::Inserted;
use crate::table::interned::{Interned, InternedHandle};
use crate::table::state_cache::Table;
use crate::tree::key::Key;
use crate::tree::pairs::Pair;
use crate::tree::shape::Engine;
use crate::tree::two_leaf_layout::TwoLeafLayout;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// States of a group: enough for prefetched memory to arrive before it is used.
pub(crate) const GROUP: usize = 64;

/// Shapes have numbers from 1, so that this is none.
pub(crate) const NO_ROOT: Pair = Pair { left: 0, right: 0, shape: 0 };

/// States of a group, as bits by their places in it.
pub(crate) type Set = u64;

/// The places of a set, in order.
#[inline(always)]
pub(crate) fn places(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (place < GROUP).then_some(place)
    })
}

/// States of a group that need an answer from the store.
pub(crate) struct Waiting {
    /// Which they are.
    pub(crate) set: Set,
    /// Their roots, by place; [`NO_ROOT`] for those that must be resolved.
    pub(crate) roots: [Pair; GROUP],
}

impl Waiting {
    pub(crate) fn new() -> Waiting {
        Waiting { set: 0, roots: [NO_ROOT; GROUP] }
    }

    /// Adds a state of the group.
    #[inline(always)]
    pub(crate) fn add(&mut self, place: usize, root: Option<Pair>) {
        self.set |= 1 << place;
        self.roots[place] = root.unwrap_or(NO_ROOT);
    }
}

/// Entries of a leaf cache at first and at most.
const ENTRIES: usize = 1 << 9;
const ENTRIES_MAX: usize = 1 << 13;
/// Misses for each entry after which a leaf_cache is too small.
const MISSES: usize = 4;

/// The numbers of keys of one leaf that a worker has looked up. Numbers never change, so that entries never become stale,
/// ever.
struct LeafCache {
    /// The words of a key, and its number, which is 0 as long as there is none.
    entries: Box<[u64]>,
    stride: usize,
    /// How many bits of a hash do not choose an entry.
    shift: u32,
    misses: usize,
    account: Arc<Account>,
}

impl LeafCache {
    fn new(key_words: usize, account: &Arc<Account>) -> LeafCache {
        let stride = key_words + 1;
        let account = account.clone();
        LeafCache { entries: vec![0; ENTRIES * stride].into(), stride, shift: 64 - ENTRIES.ilog2(), misses: 0, account }
    }

    #[inline(always)]
    fn entry<const K: usize>(&mut self, hash: u64) -> &mut [u64] {
        debug_assert_eq!(self.stride, K + 1);
        &mut self.entries[(hash >> self.shift) as usize * (K + 1)..][..K + 1]
    }

    /// The number of a key; 0 when it is not known.
    #[inline(always)]
    fn number<const K: usize>(&mut self, key: &[u64; K], hash: u64) -> u32 {
        let entry = self.entry::<K>(hash);
        if entry[..K] == key[..] { entry[K] as u32 } else { 0 }
    }

    /// Takes note of what was missing, and becomes larger where much is.
    fn learn<const K: usize>(&mut self, key: &[u64; K], hash: u64, number: u32) {
        self.misses += 1;
        let entries = 1usize << (64 - self.shift);
        if self.misses > MISSES * entries && entries < ENTRIES_MAX {
            self.misses = 0;
            if self.account.take(size_of_val(&*self.entries)) {
                self.entries = vec![0; self.entries.len() * 2].into();
                self.shift -= 1;
            }
        }
        let entry = self.entry::<K>(hash);
        entry[..K].copy_from_slice(key);
        entry[K] = number.into();
    }
}

impl Drop for LeafCache {
    fn drop(&mut self) {
        self.account.give_back(size_of_val(&*self.entries) - ENTRIES * self.stride * size_of::<u64>());
    }
}

/// The hash of a key for the worker's own tables: its top bits are good.
#[inline(always)]
fn hash_of<const K: usize>(key: &[u64; K]) -> u64 {
    const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93];
    key.iter()
        .enumerate()
        .fold(0, |hash, (at, word)| hash ^ word.wrapping_mul(FACTORS[at % 2]).rotate_left(if at < 2 { 0 } else { 13 }))
}

/// The hash of two keys, all bits of which are good.
#[inline(always)]
fn joint([left, right]: [u64; 2]) -> u64 {
    let hash = (left ^ right.rotate_left(32)).wrapping_mul(0x9E6C_63D0_876A_68EF);
    hash ^ (hash >> 32)
}

/// The shared tables in which leaves of one shape are looked up.
pub(crate) struct Tables<'a> {
    pub(crate) halves: [&'a Interned; 2],
    pub(crate) handles: &'a mut [InternedHandle],
    pub(crate) standing: Standing,
    /// The number of the shape.
    pub(crate) shape: u32,
    /// A stop is needed.
    pub(crate) stop: bool,
}

impl Tables<'_> {
    /// The number of a key that is not in the cache; 0 where it must wait for a stop.
    #[cold]
    #[inline(never)]
    fn missing<const K: usize>(&mut self, side: usize, key: &[u64; K], hash: u64, leaf_cache: &mut LeafCache) -> u32 {
        let whole = Key::of_words(key);
        let words = whole.trimmed(K);
        let handle = &mut self.handles[side];
        let number = match self.halves[side].intern(handle, self.standing, &whole, words, whole.hash(words)) {
            Inserted::Seen(number) => number,
            Inserted::New(number, more) => {
                self.stop |= more;
                number
            }
            _ => return 0,
        };
        leaf_cache.learn(key, hash, number);
        number
    }
}

/// A worker's caches for the two-leaf states of one shape.
pub(crate) struct TwoLeafPath {
    key_words: usize,
    /// The keys of the last states; none when there is no memory for it.
    cache: Option<Table>,
    leaf_caches: [LeafCache; 2],
    account: Arc<Account>,
}

impl TwoLeafPath {
    /// For keys of 1, 2 or [`crate::tree::key::KEY_WORDS`] words.
    pub(crate) fn new(key_words: usize, account: &Arc<Account>) -> TwoLeafPath {
        let leaf_caches = [(); 2].map(|()| LeafCache::new(key_words, account));
        let mut path = TwoLeafPath { key_words, cache: None, leaf_caches, account: account.clone() };
        path.forget();
        path
    }

    /// Forgets which states were put: what was noted could not be.
    #[cold]
    pub(crate) fn forget(&mut self) {
        self.cache = Table::new(2 * 8 * self.key_words, &self.account);
    }

    /// The roots of some states of a group (`which`), except for those in the cache where these may be left out (`skips`).
    /// What does not fit has no root; which these are.
    ///
    /// # Safety
    /// The states are of the length of the layout; `WORDS` and `K` as for [`TwoLeafLayout::take`], where `K` is what this was made
    /// with; `PAIR` is twice `K`.
    #[inline(always)]
    pub(crate) unsafe fn resolve<'b, const WORDS: usize, const K: usize, const PAIR: usize>(
        &mut self,
        (layout, engine): (&TwoLeafLayout, Engine),
        tables: &mut Tables<'_>,
        which: Set,
        state: &impl Fn(usize) -> &'b [u8],
        skips: bool,
        waiting: &mut Waiting,
    ) -> Set {
        const { assert!(PAIR == 2 * K && GROUP == Set::BITS as usize) };
        let mut keys = [const { MaybeUninit::<([[u64; K]; 2], [u64; 2], usize)>::uninit() }; GROUP];
        let (mut left, mut misfits, mut seen_ones) = (0, 0, 0);
        let mut cache = self.cache.as_mut().filter(|_| skips);
        for place in places(which) {
            // SAFETY: by the caller.
            let (taken, fits) = unsafe { layout.take::<WORDS, K>(state(place), engine) };
            if !fits {
                misfits |= 1 << place;
                continue;
            }
            let hashes = [hash_of(&taken[0]), hash_of(&taken[1])];
            let seen = cache.as_mut().is_some_and(|cache| {
                // SAFETY: both keys have that number of bytes, one behind the other; the cache was made for as many.
                unsafe {
                    let bytes = std::slice::from_raw_parts(taken.as_ptr().cast::<u8>(), size_of_val(&taken));
                    cache.note::<PAIR>(bytes, joint(hashes))
                }
            });
            keys[left].write((taken, hashes, place));
            seen_ones |= Set::from(seen) << place;
            left += usize::from(!seen);
        }
        if let Some(cache) = cache {
            cache.count_misses(left);
        }
        for known in &keys[..left] {
            // SAFETY: that number was written.
            let (keys, hashes, place) = unsafe { known.assume_init_ref() };
            let mut numbers = [0; 2];
            for side in 0..2 {
                let (leaf_cache, key, hash) = (&mut self.leaf_caches[side], &keys[side], hashes[side]);
                numbers[side] = leaf_cache.number(key, hash);
                if numbers[side] == 0 {
                    numbers[side] = tables.missing(side, key, hash, leaf_cache);
                }
            }
            let [left, right] = numbers;
            waiting.roots[*place] =
                if left == 0 || right == 0 { NO_ROOT } else { Pair { left, right, shape: tables.shape } };
        }
        waiting.set |= which & !seen_ones;
        misfits
    }
}
