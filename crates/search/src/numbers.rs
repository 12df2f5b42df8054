//! A set of states by their numbers, which are small.

/// A bit for each number: what is asked for at random should stay in the cache.
#[derive(Default)]
pub(crate) struct Numbers(Vec<u64>);

impl Numbers {
    /// No numbers.
    pub(crate) const NONE: Numbers = Numbers(Vec::new());

    #[inline]
    pub(crate) fn has(&self, number: u64) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    #[inline]
    pub(crate) fn add(&mut self, number: u64) {
        let at = number as usize / 64;
        if at >= self.0.len() {
            self.0.resize((at + 1).next_power_of_two(), 0);
        }
        self.0[at] |= 1 << (number % 64);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_a_set() {
        let mut numbers = Numbers::NONE;
        assert!(numbers.is_empty() && !numbers.has(0) && !numbers.has(1000));
        let some = [0, 63, 64, 200, 1 << 20];
        some.iter().for_each(|n| numbers.add(*n));
        assert!((0..1 << 21).all(|n| numbers.has(n) == some.contains(&n)));
        assert!(numbers.memory_bytes() >= (1 << 20) / 8);
    }
}
