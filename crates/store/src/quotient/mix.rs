//! A bijection on numbers of any width that spreads them, and its inverse.
//!
//! Two rounds of a shift to the right and a multiplication by an odd number modulo a power of two; either can be undone. The
//! highest bits are the best, and choose the place.
//! Where only part of a number is stored because its place says the rest, the whole can be read back.

/// A bijection on numbers of `bits` bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mix {
    bits: u32,
    mask: u64,
    /// Half the width at least, so that the shift is its own inverse.
    shift: u32,
}

const FACTORS: [u64; 2] = [0xD6E8_FEB8_6659_FD93, 0x9E37_79B9_7F4A_7C15];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the bits that are right.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut step = 0;
    while step < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

impl Mix {
    /// For numbers of 1 to 63 bits.
    pub(crate) fn new(bits: u32) -> Mix {
        assert!((1..64).contains(&bits));
        Mix { bits, mask: (1 << bits) - 1, shift: bits.div_ceil(2) }
    }

    /// Bits of the numbers.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.bits
    }

    #[inline(always)]
    pub(crate) fn mix(self, mut x: u64) -> u64 {
        for factor in FACTORS {
            x = (x ^ (x >> self.shift)).wrapping_mul(factor) & self.mask;
        }
        x
    }

    #[inline(always)]
    pub(crate) fn unmix(self, mut x: u64) -> u64 {
        for inverse in INVERSES.into_iter().rev() {
            x = x.wrapping_mul(inverse) & self.mask;
            x ^= x >> self.shift;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_widths_are_permutations() {
        for bits in 1..12 {
            let mix = Mix::new(bits);
            let mut seen = vec![false; 1 << bits];
            for x in 0..1u64 << bits {
                assert_eq!(mix.unmix(mix.mix(x)), x);
                assert!(!std::mem::replace(&mut seen[mix.mix(x) as usize], true));
            }
        }
    }

    #[test]
    fn large_widths_can_be_undone() {
        for bits in 12..64 {
            let mix = Mix::new(bits);
            let mut x = 1u64;
            for _ in 0..100 {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let number = x >> (64 - bits);
                assert_eq!(mix.unmix(mix.mix(number)), number);
                assert!(mix.mix(number) >> bits == 0);
            }
        }
    }
}
