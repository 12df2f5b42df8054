//! A bit for each slot of a batch.

use super::BATCH;
use std::ops::Range;

const WORDS: usize = BATCH / 64;

/// See the module.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Bits([u64; WORDS]);

impl Bits {
    /// These and no others.
    #[inline]
    pub(super) fn of(slots: Range<usize>) -> Bits {
        let below = |end: usize, w: usize| !u64::MAX.unbounded_shl(end.saturating_sub(64 * w) as u32);
        Bits(std::array::from_fn(|w| below(slots.end, w) & !below(slots.start, w)))
    }

    /// Adds a slot, or not.
    #[inline(always)]
    pub(super) fn add(&mut self, slot: usize, is: bool) {
        self.0[slot / 64 % WORDS] |= u64::from(is) << (slot % 64);
    }

    #[inline]
    pub(crate) fn has(&self, slot: usize) -> bool {
        self.0[slot / 64 % WORDS] >> (slot % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    #[inline]
    pub(super) fn and(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|w| self.0[w] & other.0[w]))
    }

    #[inline]
    pub(super) fn or(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|w| self.0[w] | other.0[w]))
    }

    #[inline]
    pub(super) fn without(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|w| self.0[w] & !other.0[w]))
    }

    /// How many there are.
    #[inline]
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The slots, in order.
    #[inline]
    pub(super) fn slots(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(w, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * w + bit)
            })
        })
    }

    /// All bits, 64 to a word.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_a_set_of_slots() {
        for (start, end) in [(0, 0), (0, 1), (3, 64), (64, 65), (60, 70), (1, BATCH), (0, BATCH)] {
            let mut some = Bits::default();
            (start..end.min(BATCH)).for_each(|slot| some.add(slot, true));
            (0..BATCH).for_each(|slot| some.add(slot, false));
            assert_eq!(some, Bits::of(start..end.min(BATCH)));
            assert!(some.slots().eq(start..end.min(BATCH)));
            assert!((0..BATCH).all(|slot| some.has(slot) == (start..end).contains(&slot)));
            assert_eq!((some.count() as usize, some.is_empty()), (end.min(BATCH) - start, start == end));
            let rest = Bits::of(0..BATCH).without(some);
            assert!(rest.and(some).is_empty() && rest.or(some) == Bits::of(0..BATCH));
        }
    }
}
