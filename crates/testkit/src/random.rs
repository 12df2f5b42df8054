//! A small generator of random numbers whose output never changes: seeds of failed tests stay good for ever.

use ferrospin_ltl::random::Random as Stream;

/// The stream of `ferrospin_ltl::random`, with choices among things.
pub struct Random(Stream);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(Stream::new(seed))
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.0.chance(percent)
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// An index, chosen in proportion to its weight.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        weights
            .iter()
            .position(|w| {
                let here = at < *w;
                at = at.saturating_sub(*w);
                here
            })
            .expect("the weights add up")
    }
}
