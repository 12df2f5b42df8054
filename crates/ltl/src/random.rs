//! Random formulas and words for tests, from a seed and nothing else.
//!
//! The generator is Steele, Lea and Flood's SplitMix64 (2014): good enough for tests, the same on every machine.

use crate::{AtomId, Formula, Formulas, Lasso, Op};

/// A stream of random numbers.
pub struct Random(u64);

impl Random {
    /// A stream that depends on the seed only.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A formula with `size` operators and operands over the propositions `0..atoms`.
    pub fn formula(&mut self, formulas: &mut Formulas, size: usize, atoms: u32) -> Formula {
        if size <= 1 {
            return match self.below(20) {
                0 => Formulas::TRUE,
                1 => Formulas::FALSE,
                _ => formulas.atom(AtomId(self.below(atoms as usize) as u32)),
            };
        }
        if size == 2 || self.chance(45) {
            let op = [Op::Not, Op::Always, Op::Eventually, Op::Next][self.below(4)];
            let f = self.formula(formulas, size - 1, atoms);
            return formulas.apply(op, &[f]);
        }
        let ops = [Op::And, Op::Or, Op::Until, Op::Release, Op::WeakUntil, Op::StrongRelease];
        let op = ops[self.below(ops.len())];
        let left = 1 + self.below(size - 2);
        let f = self.formula(formulas, left, atoms);
        let g = self.formula(formulas, size - 1 - left, atoms);
        formulas.apply(op, &[f, g])
    }

    /// A word over the propositions `0..atoms`, each true with the given probability at each position.
    pub fn lasso(&mut self, stem_max: usize, cycle_max: usize, atoms: u32, percent: usize) -> Lasso {
        let (stem, cycle) = (self.below(stem_max + 1), 1 + self.below(cycle_max));
        let mut letters = |n: usize| {
            (0..n)
                .map(|_| (0..atoms).map(AtomId).filter(|_| self.chance(percent)).collect())
                .collect::<Vec<Vec<AtomId>>>()
        };
        Lasso { stem: letters(stem), cycle: letters(cycle) }
    }
}
