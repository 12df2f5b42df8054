//! Choices that were made, by where everybody stood and which edges could be taken, as far as they were no matter of values.
//!
//! One memory serves all casts: numbers that say where everybody stands are of one cast only. Entries are overwritten when
//! another one comes to the same place.

use crate::listed::Listed;
use ferrospin_system::Glance;

/// So many are remembered, as a power of two.
const BITS: u32 = 14;

/// A choice, with where everybody stood and what could be done.
pub(crate) type Fresh = (u64, Listed, Glance);

/// No choice.
const NONE: Fresh = (u64::MAX, Listed::NONE, Glance::ASK);

/// The memory.
pub(crate) struct Choices(Box<[Fresh; 1 << BITS]>);

impl Choices {
    pub(crate) fn new() -> Choices {
        let Ok(table) = vec![NONE; 1 << BITS].into_boxed_slice().try_into() else { unreachable!("so many") };
        Choices(table)
    }

    /// What was chosen lately where everybody stood so and these moves could be taken, if that is known; else that it must be
    /// asked for. The largest number stands for nothing.
    #[inline(always)]
    pub(crate) fn recall(&self, standing: u64, moves: Listed) -> (Glance, bool) {
        let (stood, could, glance) = &self.0[moves.mix(standing, BITS)];
        let is_known = (*stood == standing) & (*could == moves) & (standing != u64::MAX);
        (if is_known { *glance } else { Glance::ASK }, is_known)
    }

    /// Remembers a choice.
    #[inline]
    pub(crate) fn note(&mut self, (standing, moves, glance): Fresh) {
        self.0[moves.mix(standing, BITS)] = (standing, moves, glance);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0.fill(NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_noted_is_recalled() {
        let list = |digit: u8| Listed::new(&[digit; 16], 2);
        let mut choices = Choices::new();
        let glance = |n: u64| Glance::set(n as usize % 7..n as usize % 7 + 1, n.is_multiple_of(2));
        for n in 0..1000 {
            choices.note((n, list(1 + n as u8 % 3), glance(n)));
        }
        // Whatever comes to the same place later stays; nothing is mistaken for another one.
        let known = |n: u64, digit: u8| choices.recall(n, list(digit));
        let kept = (0..1000).filter(|n| known(*n, 1 + *n as u8 % 3) == (glance(*n), true)).count();
        assert!(kept > 900, "{kept}");
        assert!((0..1000).all(|n| known(n, 4 + n as u8 % 3) == (Glance::ASK, false)));
        assert!((1000..2000).all(|n| (1..4).all(|digit| !known(n, digit).1)));
        choices.note((u64::MAX, list(1), glance(1)));
        assert_eq!(choices.recall(u64::MAX, list(1)), (Glance::ASK, false));
        choices.clear();
        assert!((0..1000).all(|n| !choices.recall(n, list(1 + n as u8 % 3)).1));
    }
}
