//! The hash of states.
//!
//! Most states have a few dozen bytes, and a search hashes one per transition: for these the hash is written out here, so
//! that it becomes part of the loop that calls it. It multiplies words as rapidhash and wyhash do, and folds the products.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_nano_inline};

/// Lengths that are hashed here; rapidhash sees to the others.
const SHORT: std::ops::RangeInclusive<usize> = 9..=192;

/// Hashes states: the same on every machine, so that a lossy search can be repeated by its seed. A change of
/// it belongs into the changelog.
#[derive(Clone, Copy, Debug)]
pub struct StateHash {
    keys: [u64; 4],
    secrets: RapidSecrets,
}

impl StateHash {
    /// The hash with this seed.
    pub fn new(seed: u64) -> StateHash {
        let secrets = RapidSecrets::seed(seed);
        // Keys without structure: the hashes of four different short strings.
        let keys = [1u8, 2, 3, 4].map(|n| rapidhash_v3_nano_inline::<true, false>(&[n; 4], &secrets) | 1);
        StateHash { keys, secrets }
    }

    /// The hash of a state, all 64 bits well mixed.
    #[inline(always)]
    pub fn of(&self, state: &[u8]) -> u64 {
        if SHORT.contains(&state.len()) {
            return self.of_short(state);
        }
        rapidhash_v3_nano_inline::<true, false>(state, &self.secrets)
    }

    /// Pieces of 16 bytes from the front, and the last 16, which may overlap them; up to 16 bytes, the first and the last 8.
    #[inline(always)]
    fn of_short(&self, state: &[u8]) -> u64 {
        let [k0, k1, k2, k3] = self.keys;
        let len = state.len();
        let word = |at: usize| u64::from_le_bytes(state[at..at + 8].try_into().expect("eight bytes"));
        let mut hash = k0 ^ len as u64;
        for piece in 0..SHORT.end() / 16 - 1 {
            if len > 16 * (piece + 1) {
                let key = if piece % 2 == 0 { k1 } else { k2 };
                hash = fold(word(16 * piece) ^ key, word(16 * piece + 8) ^ hash);
            }
        }
        let first = len.saturating_sub(16);
        let (low, high) = product(word(first) ^ k2, word(len - 8) ^ hash);
        fold(low ^ k3, high ^ k1)
    }
}

#[inline(always)]
fn product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let (low, high) = product(a, b);
    low ^ high
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// States that differ in one or two bits differ in about half of the bits of their hashes.
    #[test]
    fn every_bit_of_a_state_changes_half_of_the_hash() {
        let hash = StateHash::new(7);
        for len in [1, 4, 8, 9, 12, 16, 17, 24, 31, 32, 33, 40, 48, 49, 64, 65, 70, 80, 81, 96, 97, 130, 192, 193] {
            let mut state: Vec<u8> = (0..len).map(|i| (i % 3) as u8).collect();
            let before = hash.of(&state);
            let (mut changed, mut least) = (0, u32::MAX);
            for bit in 0..8 * len {
                state[bit / 8] ^= 1 << (bit % 8);
                let bits = (hash.of(&state) ^ before).count_ones();
                (changed, least) = (changed + bits, least.min(bits));
                state[bit / 8] ^= 1 << (bit % 8);
            }
            let mean = f64::from(changed) / (8 * len) as f64;
            assert!((27.0..37.0).contains(&mean) && least > 8, "{len}: {mean} {least}");
        }
    }

    /// Counters in every position, as states have them: no part of the hash has more collisions than chance gives.
    #[test]
    fn states_that_differ_little_spread_over_all_bits() {
        let hash = StateHash::new(0);
        for len in [9, 16, 20, 24, 33, 48, 64, 70, 96, 130, 192] {
            let mut hashes = Vec::new();
            for a in 0..64u8 {
                for b in 0..64u8 {
                    for at in 0..len - 1 {
                        let mut state = vec![0; len];
                        (state[at], state[len - 1]) = (a, b);
                        hashes.push((hash.of(&state), state));
                    }
                }
            }
            let states: HashSet<_> = hashes.iter().map(|(_, s)| s.clone()).collect();
            let whole: HashSet<_> = hashes.iter().map(|(h, _)| *h).collect();
            assert_eq!(whole.len(), states.len());
            for shift in [0, 12, 22, 32, 40] {
                let parts: HashSet<_> = whole.iter().map(|h| (h >> shift) as u32 & 0xff_ffff).collect();
                let (n, places) = (states.len() as f64, f64::from(1 << 24));
                let expected = places * (1.0 - (-n / places).exp());
                assert!((parts.len() as f64 - expected).abs() < 6.0 * n.sqrt(), "{len} {shift}");
            }
        }
    }
}
