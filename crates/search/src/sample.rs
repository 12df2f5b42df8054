//! A sample of the states of a model, taken by random walks before a search.
//!
//! Stores that compress states learn from it how ("training runs": Holzmann, "State compression in SPIN: recursive indexing
//! and compression training runs", 1997). The first states of a search would be a poor sample: all of them are near the
//! initial state, where most variables have not changed yet.

use crate::random::Random;
use ferrospin_system::{Control, Machine, Moves};

/// Steps of a walk, on average, between two states that are taken: neighbours differ too little.
const SPACING: u64 = 8;
/// Steps of a walk on average.
const WALK: u64 = 256;
/// Steps at most for each state that is asked for: a model may stay inside `atomic` for long.
const STEPS_MAX: u64 = 64;

/// States from all over the state space, up to so many. Same seed, same states.
pub fn sample(machine: &mut dyn Machine, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let mut states = Vec::with_capacity(count);
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    let mut control = Control::Free;
    if machine.initial(&mut state).is_err() {
        return states;
    }
    for _ in 0..count as u64 * STEPS_MAX {
        if states.len() == count {
            break;
        }
        machine.moves(&state, control, &mut moves);
        if moves.list.is_empty() && control != Control::Free {
            machine.moves(&state, Control::Free, &mut moves);
        }
        let mut ends = moves.list.is_empty();
        if !ends {
            let mv = moves.list[random.below(moves.list.len() as u64) as usize];
            let step = machine.apply(&state, &mv, &mut next);
            control = step.control;
            std::mem::swap(&mut state, &mut next);
            ends = !step.proceeds;
            if !ends && control == Control::Free && random.below(SPACING) == 0 {
                states.push(state.clone());
            }
        }
        if ends || random.below(WALK) == 0 {
            control = Control::Free;
            if machine.initial(&mut state).is_err() {
                break;
            }
        }
    }
    states
}
