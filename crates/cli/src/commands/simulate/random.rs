//! Random choices that are the same everywhere and for ever.
//!
//! SplitMix64 (Steele, Lea, Flood 2014): one addition and a mix of bits. Good enough to choose moves, and a seed given
//! today chooses the same run in every later version.

/// A source of choices.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// All that is chosen follows from the seed.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The product's upper half: no division, and a negligible bias.
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        let mut random = Random::new(1);
        let numbers: Vec<usize> = (0..8).map(|_| random.below(10)).collect();
        expect_test::expect!["[5, 7, 9, 4, 4, 7, 8, 5]"].assert_eq(&format!("{numbers:?}"));
        assert!((0..1000).all(|_| random.below(3) < 3));
    }
}
