//! A sample of the states of a model, taken by random walks before a search.
//!
//! Stores that compress states learn from it how ("training runs": Holzmann, "State compression in SPIN: recursive indexing
//! and compression training runs", 1997). The first states of a search would be a poor sample: all of them are near the
//! initial state, where most variables have not changed yet.

use crate::random::Random;
use ferrospin_system::{Control, Machine, Moves};
use std::collections::HashMap;

/// Steps of a walk, on average, between two states that are taken: neighbours differ too little.
const SPACING: u64 = 8;
/// Steps of a walk on average.
const WALK: u64 = 256;
/// Steps at most for each state that is asked for: a model may stay inside `atomic` for long.
const STEPS_MAX: u64 = 64;
/// States at most for each that is asked for, where lengths differ.
const LENGTHS: usize = 4;

/// States from all over the state space, up to so many of each length. Same seed, same states.
pub fn sample(machine: &mut dyn Machine, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let mut states = Vec::with_capacity(count);
    // By length, how many there are; and how many lengths still want some.
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut wanting = 1;
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    let mut control = Control::Free;
    if machine.initial(&mut state).is_err() {
        return states;
    }
    for _ in 0..count as u64 * STEPS_MAX {
        if wanting == 0 || states.len() == count * LENGTHS {
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
                let others = counts.len();
                let of_length = counts.entry(state.len()).or_insert(0);
                if *of_length == 0 && others > 0 {
                    wanting += 1;
                }
                if *of_length < count {
                    *of_length += 1;
                    wanting -= usize::from(*of_length == count);
                    states.push(state.clone());
                }
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
