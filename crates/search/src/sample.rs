//! A sample of the states of a model, taken before a search.
//!
//! Stores that compress states learn from it how ("training runs": Holzmann, "State compression in SPIN: recursive indexing
//! and compression training runs", 1997). The first states of a search would be a poor sample: all of them are near the
//! initial state, where most variables have not changed yet. Random walks are poor, too: in them hardly any channel is ever
//! full. So this is a breadth-first search of which each level keeps a few states only, drawn from what is new (a *beam*): it
//! comes as far as the search will come. Every state of a level that has new successors is followed by one of them, so that
//! the beam does not become the offspring of a few.

use crate::random::Random;
use ferrospin_system::{Control, Machine, Moves, StateHash};
use std::collections::{BTreeMap, HashSet};

/// States of a level that are expanded.
const BEAM: usize = 128;
/// How often it begins, where nothing new is left and something was passed over.
const ROUNDS: usize = 4;
/// Steps at most for each state that is asked for.
const STEPS: u64 = 32;
/// Steps inside `atomic` at most before a state is given up.
const INNER_STEPS: usize = 256;
/// States at most for each that is asked for, where lengths differ.
const LENGTHS: usize = 8;

/// Some of those that were met, each with the same chance.
#[derive(Default)]
struct Drawn {
    states: Vec<Vec<u8>>,
    met: u64,
}

impl Drawn {
    fn meet(&mut self, state: &[u8], count: usize, random: &mut Random) {
        self.met += 1;
        if self.states.len() < count {
            self.states.push(state.to_vec());
        } else if let Some(other) = self.states.get_mut(random.below(self.met) as usize) {
            other.clear();
            other.extend_from_slice(state);
        }
    }
}

/// States from all over the state space, up to so many of each length; of a small one all, but for the first perhaps. Same
/// seed, same states.
pub fn sample(machine: &mut dyn Machine, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let hash = StateHash::new(seed);
    let mut first = Vec::new();
    if machine.initial(&mut first).is_err() {
        return Vec::new();
    }
    let mut drawn: BTreeMap<usize, Drawn> = BTreeMap::new();
    let mut known: HashSet<u64> = HashSet::new();
    let (mut state, mut next) = (Vec::new(), Vec::new());
    let (mut moves, mut inner) = (Moves::default(), Moves::default());
    let mut steps = 0;
    let (mut rounds, mut is_whole) = (1, true);
    let mut level = vec![first.clone()];
    while steps < count as u64 * STEPS {
        let mut below = Vec::new();
        let mut spare = Drawn::default();
        for from in &level {
            machine.moves(from, Control::Free, &mut moves);
            let mut children: Vec<Vec<u8>> = Vec::new();
            for mv in &moves.list {
                steps += 1;
                let mut step = machine.apply(from, mv, &mut state);
                for _ in 0..INNER_STEPS {
                    if !step.proceeds || step.control == Control::Free {
                        break;
                    }
                    machine.moves(&state, step.control, &mut inner);
                    if inner.list.is_empty() {
                        step.control = Control::Free;
                        break;
                    }
                    let mv = inner.list[random.below(inner.list.len() as u64) as usize];
                    step = machine.apply(&state, &mv, &mut next);
                    std::mem::swap(&mut state, &mut next);
                    steps += 1;
                }
                if step.proceeds && step.control == Control::Free && known.insert(hash.of(&state)) {
                    children.push(state.clone());
                    drawn.entry(state.len()).or_default().meet(&state, count, &mut random);
                }
            }
            if !children.is_empty() {
                below.push(children.swap_remove(random.below(children.len() as u64) as usize));
                children.iter().for_each(|child| spare.meet(child, BEAM, &mut random));
            }
        }
        let rest = BEAM.saturating_sub(below.len());
        is_whole &= spare.met <= rest as u64;
        below.extend(spare.states.into_iter().take(rest));
        level = below;
        if level.is_empty() {
            if is_whole || rounds == ROUNDS {
                break;
            }
            rounds += 1;
            level.push(first.clone());
            known.clear();
        }
    }
    drawn.into_values().flat_map(|of_length| of_length.states).take(count * LENGTHS).collect()
}
