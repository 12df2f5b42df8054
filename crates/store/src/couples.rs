//! States of two leaves on their way to their roots, a group at a time.
//!
//! Three passes, none of which has a branch that cannot be foreseen. The bits of both leaves are taken out of each state; as
//! they are the state, and shorter, a small table of those that the worker has lately put tells most states that are seen
//! ([`crate::lately`]). The keys of the others become numbers: nearly all are known to a memo of the worker's own, and only
//! what is not goes to the table that all share. What is done with the roots, in a third pass, is the business of the store.

use crate::budget::Account;
use crate::couple::Couple;
use crate::gate::Standing;
use crate::index::Inserted;
use crate::interned::{Interned, InternedHandle};
use crate::key::Key;
use crate::lately::Table;
use crate::pairs::Pair;
use crate::shape::Engine;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// How many states are taken together: so many that what is brought near is there when the last are done.
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

/// States of a group that wait for an answer.
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

    /// One more of a group waits.
    #[inline(always)]
    pub(crate) fn add(&mut self, place: usize, root: Option<Pair>) {
        self.set |= 1 << place;
        self.roots[place] = root.unwrap_or(NO_ROOT);
    }
}

/// Entries of a memo at first and at most.
const ENTRIES: usize = 1 << 9;
const ENTRIES_MAX: usize = 1 << 13;
/// Misses for each entry after which a memo is too small.
const MISSES: usize = 4;

/// The numbers of keys of one leaf that a worker has lately looked up. Numbers never change, so that an entry is right for
/// ever.
struct Memo {
    /// The words of a key, and its number, which is 0 as long as there is none.
    entries: Box<[u64]>,
    stride: usize,
    /// How many bits of a hash do not choose an entry.
    shift: u32,
    misses: usize,
    account: Arc<Account>,
}

impl Memo {
    fn new(key_words: usize, account: &Arc<Account>) -> Memo {
        let stride = key_words + 1;
        let account = account.clone();
        Memo { entries: vec![0; ENTRIES * stride].into(), stride, shift: 64 - ENTRIES.ilog2(), misses: 0, account }
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

impl Drop for Memo {
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

/// Where couples of one shape are looked up.
pub(crate) struct Tables<'a> {
    pub(crate) halves: [&'a Interned; 2],
    pub(crate) handles: &'a mut [InternedHandle],
    pub(crate) standing: Standing,
    /// The number of the shape.
    pub(crate) shape: u32,
    /// A stop is wanted.
    pub(crate) stop: bool,
}

impl Tables<'_> {
    /// The number of a key that a memo does not know; 0 where something stands in the way.
    #[cold]
    #[inline(never)]
    fn missing<const K: usize>(&mut self, side: usize, key: &[u64; K], hash: u64, memo: &mut Memo) -> u32 {
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
        memo.learn(key, hash, number);
        number
    }
}

/// What a worker remembers of the couples of one shape.
pub(crate) struct Couples {
    key_words: usize,
    /// The keys of the last states; none when there is no memory for it.
    lately: Option<Table>,
    memos: [Memo; 2],
    account: Arc<Account>,
}

impl Couples {
    /// For keys of 1, 2 or [`crate::key::KEY_WORDS`] words.
    pub(crate) fn new(key_words: usize, account: &Arc<Account>) -> Couples {
        let memos = [(); 2].map(|()| Memo::new(key_words, account));
        let mut couples = Couples { key_words, lately: None, memos, account: account.clone() };
        couples.forget();
        couples
    }

    /// Forgets which states were put: what was noted could not be.
    #[cold]
    pub(crate) fn forget(&mut self) {
        self.lately = Table::new(2 * 8 * self.key_words, &self.account);
    }

    /// The roots of some states of a group (`which`), but for those that were put lately where these may be left out (`skips`).
    /// What does not fit has no root; which these are.
    ///
    /// # Safety
    /// The states are of the length of the couple; `WORDS` and `K` as for [`Couple::take`], where `K` is what this was made
    /// with; `PAIR` is twice `K`.
    #[inline(always)]
    pub(crate) unsafe fn resolve<'b, const WORDS: usize, const K: usize, const PAIR: usize>(
        &mut self,
        (couple, engine): (&Couple, Engine),
        tables: &mut Tables<'_>,
        which: Set,
        state: &impl Fn(usize) -> &'b [u8],
        skips: bool,
        waiting: &mut Waiting,
    ) -> Set {
        const { assert!(PAIR == 2 * K && GROUP == Set::BITS as usize) };
        let mut keys = [const { MaybeUninit::<([[u64; K]; 2], [u64; 2], usize)>::uninit() }; GROUP];
        let (mut left, mut misfits, mut seen_ones) = (0, 0, 0);
        let mut lately = self.lately.as_mut().filter(|_| skips);
        for place in places(which) {
            // SAFETY: by the caller.
            let (taken, fits) = unsafe { couple.take::<WORDS, K>(state(place), engine) };
            if !fits {
                misfits |= 1 << place;
                continue;
            }
            let hashes = [hash_of(&taken[0]), hash_of(&taken[1])];
            let seen = lately.as_mut().is_some_and(|lately| {
                // SAFETY: both keys are so many bytes, one behind the other; the table was made for as many.
                unsafe {
                    let bytes = std::slice::from_raw_parts(taken.as_ptr().cast::<u8>(), size_of_val(&taken));
                    lately.note::<PAIR>(bytes, joint(hashes))
                }
            });
            keys[left].write((taken, hashes, place));
            seen_ones |= Set::from(seen) << place;
            left += usize::from(!seen);
        }
        if let Some(lately) = lately {
            lately.count_misses(left);
        }
        for known in &keys[..left] {
            // SAFETY: so many were written.
            let (keys, hashes, place) = unsafe { known.assume_init_ref() };
            let mut numbers = [0; 2];
            for side in 0..2 {
                let (memo, key, hash) = (&mut self.memos[side], &keys[side], hashes[side]);
                numbers[side] = memo.number(key, hash);
                if numbers[side] == 0 {
                    numbers[side] = tables.missing(side, key, hash, memo);
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
