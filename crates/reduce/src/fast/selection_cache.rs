//! Selections that were made, by placement and enabled moves, as far as they did not depend on values.
//!
//! One cache serves all configurations: a placement number belongs to one configuration only. The cache is direct-mapped: an
//! entry is overwritten by another one of the same place.

use crate::fast::enabled_key::EnabledKey;
use ferrospin_system::Preselection;

/// Number of entries, as a power of two.
const BITS: u32 = 14;

/// A selection, with its placement and enabled moves.
pub(crate) type Selection = (u64, EnabledKey, Preselection);

/// An empty entry.
const NONE: Selection = (u64::MAX, EnabledKey::NONE, Preselection::OPEN);

/// The cache.
pub(crate) struct SelectionCache(Box<[Selection; 1 << BITS]>);

impl SelectionCache {
    pub(crate) fn new() -> SelectionCache {
        let Ok(table) = vec![NONE; 1 << BITS].into_boxed_slice().try_into() else { unreachable!("that is its length") };
        SelectionCache(table)
    }

    /// The selection for this placement and these moves, and true; an open one and false if there is no entry. The largest
    /// placement number never has one.
    #[inline(always)]
    pub(crate) fn recall(&self, placement: u64, moves: EnabledKey) -> (Preselection, bool) {
        let (stood, could, selected) = &self.0[moves.mix(placement, BITS)];
        let is_known = (*stood == placement) & (*could == moves) & (placement != u64::MAX);
        (if is_known { *selected } else { Preselection::OPEN }, is_known)
    }

    /// Adds a selection.
    #[inline]
    pub(crate) fn note(&mut self, (placement, moves, selected): Selection) {
        self.0[moves.mix(placement, BITS)] = (placement, moves, selected);
    }

    /// Drops all entries.
    pub(crate) fn clear(&mut self) {
        self.0.fill(NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_noted_is_recalled() {
        let list = |digit: u8| EnabledKey::new(&[digit; 16], 2);
        let mut cache = SelectionCache::new();
        let selected = |n: u64| Preselection::set(n as usize % 7..n as usize % 7 + 1, n.is_multiple_of(2));
        for n in 0..1000 {
            cache.note((n, list(1 + n as u8 % 3), selected(n)));
        }
        // Whatever comes to the same place later stays; nothing is mistaken for another one.
        let known = |n: u64, digit: u8| cache.recall(n, list(digit));
        let kept = (0..1000).filter(|n| known(*n, 1 + *n as u8 % 3) == (selected(*n), true)).count();
        assert!(kept > 900, "{kept}");
        assert!((0..1000).all(|n| known(n, 4 + n as u8 % 3) == (Preselection::OPEN, false)));
        assert!((1000..2000).all(|n| (1..4).all(|digit| !known(n, digit).1)));
        cache.note((u64::MAX, list(1), selected(1)));
        assert_eq!(cache.recall(u64::MAX, list(1)), (Preselection::OPEN, false));
        cache.clear();
        assert!((0..1000).all(|n| !cache.recall(n, list(1 + n as u8 % 3)).1));
    }
}
