//! A machine whose moves come in another order: what makes the searches of a swarm differ.
//!
//! The order is a function of the seed and the state, so that a search with the same seed can be repeated, and a way that
//! was found with it can be followed again.

use crate::pipeline::BoxMachine;
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, StateHash, Step};

/// The machine inside, with its moves shuffled.
pub struct Shuffled {
    inside: BoxMachine,
    hash: StateHash,
}

impl Shuffled {
    /// Shuffles by a seed.
    pub fn new(inside: BoxMachine, seed: u64) -> Self {
        Shuffled { inside, hash: StateHash::new(seed) }
    }
}

impl Machine for Shuffled {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.inside.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.inside.moves(state, control, out);
        shuffle(&mut out.list, self.hash.of(state));
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        self.inside.apply(state, mv, out)
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        self.inside.labels(state, asked)
    }
}

/// Fisher and Yates, with splitmix64.
fn shuffle<T>(list: &mut [T], seed: u64) {
    let mut random = crate::random::Random::new(seed);
    for i in (1..list.len()).rev() {
        list.swap(i, random.below(i as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_stays_and_every_order_comes() {
        let mut orders = std::collections::HashSet::new();
        for seed in 0..1000 {
            let mut list = [0, 1, 2, 3];
            shuffle(&mut list, seed);
            orders.insert(list);
            list.sort_unstable();
            assert_eq!(list, [0, 1, 2, 3]);
        }
        assert_eq!(orders.len(), 24);
    }
}
