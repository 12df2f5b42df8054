//! Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014).

/// A sequence that its seed determines.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The bias is below 2^-32 for the small numbers wanted here.
        ((u128::from(z ^ (z >> 31)) * u128::from(n)) >> 64) as u64
    }
}
