//! A worker's memo of the two leaves of small states.
//!
//! States of up to 32 bytes mostly are two leaves and nothing else. Which number a leaf has is remembered by the words of
//! the state as they are, without what belongs to the other leaf: nearly always that is all there is to do, and no byte has
//! to be moved. Numbers never change, so that an entry is right for ever.

use crate::budget::Account;
use crate::shape::{Couple, FEW_WORDS, WORD_BYTES, word};
use std::sync::Arc;

/// Entries for each leaf at first and at most: 20 KiB and 640 KiB for both.
const ENTRIES: usize = 1 << 8;
const ENTRIES_MAX: usize = 1 << 13;
/// Misses for each entry after which a memo is too small.
const MISSES: usize = 4;

/// The words of a state with the bytes of one leaf, and the number of that leaf; 0 for nothing.
#[derive(Clone, Copy, Default)]
struct Entry {
    words: [u64; FEW_WORDS],
    number: u32,
}

/// See the module.
pub(crate) struct Halves {
    couple: Couple,
    /// Of the left leaf, then of the right one; a power of two each.
    entries: Box<[Entry]>,
    misses: usize,
    account: Arc<Account>,
}

impl Halves {
    pub(crate) fn new(couple: Couple, account: &Arc<Account>) -> Halves {
        let entries = vec![Entry::default(); 2 * ENTRIES].into();
        Halves { couple, entries, misses: 0, account: account.clone() }
    }

    /// The numbers of both leaves of a state, where they are remembered.
    #[inline(always)]
    pub(crate) fn known(&self, state: &[u8]) -> Option<[u32; 2]> {
        match self.couple.words {
            2 => self.known_of::<2>(state),
            3 => self.known_of::<3>(state),
            4 => self.known_of::<4>(state),
            _ => None,
        }
    }

    #[inline(always)]
    fn known_of<const WORDS: usize>(&self, state: &[u8]) -> Option<[u32; 2]> {
        let words = words_of::<WORDS>(state);
        Some([self.number::<WORDS>(0, &self.own(0, &words))?, self.number::<WORDS>(1, &self.own(1, &words))?])
    }

    /// What belongs to one of the leaves.
    #[inline(always)]
    fn own(&self, side: usize, words: &[u64; FEW_WORDS]) -> [u64; FEW_WORDS] {
        std::array::from_fn(|at| words[at] & self.couple.masks[side][at])
    }

    /// The number of a leaf, where it is remembered.
    #[inline(always)]
    fn number<const WORDS: usize>(&self, side: usize, own: &[u64; FEW_WORDS]) -> Option<u32> {
        let entry = &self.entries[self.place::<WORDS>(side, own)];
        let same = (0..WORDS).fold(0, |d, at| d | (entry.words[at] ^ own[at])) == 0;
        (same && entry.number != 0).then_some(entry.number)
    }

    /// The numbers of both leaves of a state. Who is asked for what is not remembered gets the side and the words.
    #[inline(never)]
    pub(crate) fn numbers<E>(
        &mut self,
        state: &[u8],
        mut ask: impl FnMut(usize, &[u64; FEW_WORDS]) -> Result<u32, E>,
    ) -> Result<[u32; 2], E> {
        let mut words = [0; FEW_WORDS];
        for (at, to) in words.iter_mut().enumerate().take(self.couple.words) {
            *to = word(state, at * WORD_BYTES);
        }
        let mut number = |side| {
            let own = self.own(side, &words);
            let known = match self.couple.words {
                1 | 2 => self.number::<2>(side, &own),
                _ => self.number::<4>(side, &own),
            };
            known.map_or_else(|| self.miss(side, &own, &mut ask), Ok)
        };
        Ok([number(0)?, number(1)?])
    }

    /// Where the entry for a leaf is.
    #[inline(always)]
    fn place<const WORDS: usize>(&self, side: usize, own: &[u64; FEW_WORDS]) -> usize {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a ^ 0xD6E8_FEB8_6659_FD93) * u128::from(b ^ 0x9E6C_63D0_876A_68EF);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let mut hash = fold(own[0], own[1]);
        if WORDS > 2 {
            hash ^= fold(own[2], own[3]).rotate_left(17);
        }
        let half = self.entries.len() / 2;
        side * half + ((hash ^ (hash >> 32)) as usize & (half - 1))
    }

    /// Asks for a number and takes note of it.
    #[inline(never)]
    fn miss<E>(
        &mut self,
        side: usize,
        own: &[u64; FEW_WORDS],
        ask: &mut impl FnMut(usize, &[u64; FEW_WORDS]) -> Result<u32, E>,
    ) -> Result<u32, E> {
        let number = ask(side, own)?;
        self.misses += 1;
        let len = self.entries.len();
        if self.misses > MISSES * len && len < 2 * ENTRIES_MAX {
            self.misses = 0;
            if self.account.take(len * size_of::<Entry>()) {
                self.entries = vec![Entry::default(); len * 2].into();
            }
        }
        let place = match self.couple.words {
            1 | 2 => self.place::<2>(side, own),
            _ => self.place::<4>(side, own),
        };
        self.entries[place] = Entry { words: *own, number };
        Ok(number)
    }
}

/// The words of a state that has so many, the last one filled up with zeros.
#[inline(always)]
fn words_of<const WORDS: usize>(state: &[u8]) -> [u64; FEW_WORDS] {
    let mut words = [0; FEW_WORDS];
    let len = state.len();
    // Said once, so that it need not be tested for each word.
    assert!(WORDS > 1 && len <= WORDS * WORD_BYTES && len + WORD_BYTES > WORDS * WORD_BYTES, "so many words");
    for at in 0..WORDS - 1 {
        words[at] = u64::from_le_bytes(state[at * 8..at * 8 + 8].try_into().expect("eight bytes"));
    }
    // The last word overlaps the one before, which is shifted out.
    let last = u64::from_le_bytes(state[len - 8..].try_into().expect("eight bytes"));
    words[WORDS - 1] = last >> (8 * (WORDS * 8 - len));
    words
}

impl Drop for Halves {
    fn drop(&mut self) {
        self.account.give_back((self.entries.len() - 2 * ENTRIES) * size_of::<Entry>());
    }
}
