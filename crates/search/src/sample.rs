//! A sample of the states of a model, taken before a search.
//!
//! Stores that compress states learn from it how ("training runs": Holzmann, "State compression in SPIN: recursive indexing
//! and compression training runs", 1997). The first states of a search would be a poor sample: all of them are near the
//! initial state, where most variables have not changed yet. Random walks are poor, too: in them hardly any buffer is ever
//! full. So this is a breadth-first search of which each level keeps a few states only, drawn from what is new (a *beam*): it
//! comes as far as the search will come. The first beam is narrow, and comes to the end soon; wider ones follow as long as
//! there is time, because states of a narrow one are all near relatives. Every state of a level that has new successors is
//! followed by one of them, so that the beam does not become the offspring of a few.

use crate::random::Random;
use ferrospin_system::{Arrival, Batch, Control, Machine, Moves, Span, StateHash};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// States of a level that are expanded in the first round, and in the last.
const BEAM: usize = 64;
const BEAM_LAST: usize = 1024;
/// Steps at most for each state that is asked for.
const STEPS: u64 = 64;
/// Steps inside `atomic` at most before a state is given up.
const INNER_STEPS: usize = 256;
/// How many of the states behind an `atomic` are drawn.
const DRAWS: usize = 8;
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

/// Those that show a bit in which no two states have differed before: they tell what varies.
#[derive(Default)]
struct NewBits {
    /// By byte, the value of the first state that had one, and the bits that have differed from it.
    places: Vec<(u8, u8)>,
    states: Vec<Vec<u8>>,
}

impl NewBits {
    fn meet(&mut self, state: &[u8]) {
        let mut has_new = false;
        for ((first, bits), value) in self.places.iter_mut().zip(state) {
            has_new |= (*first ^ value) & !*bits != 0;
            *bits |= *first ^ value;
        }
        let known = self.places.len();
        self.places.extend(state.iter().skip(known).map(|value| (*value, 0)));
        if has_new || state.len() > known {
            self.states.push(state.to_vec());
        }
    }
}

/// Walks through `atomic` at random.
struct Walker {
    state: Vec<u8>,
    next: Vec<u8>,
    moves: Moves,
    steps: u64,
}

impl Walker {
    /// Adds states behind an `atomic` that was entered to the batch.
    fn walk(&mut self, machine: &mut dyn Machine, batch: &mut Batch, inside: Arrival, random: &mut Random) {
        for _ in 0..DRAWS {
            let mut is_open = false;
            let (mut control, mut steps) = (inside.control, 0);
            self.state.clear();
            self.state.extend_from_slice(batch.state(&inside));
            while control != Control::Free && steps < INNER_STEPS {
                machine.moves(&self.state, control, &mut self.moves);
                let count = self.moves.list.len();
                if count == 0 {
                    control = Control::Free;
                    break;
                }
                is_open |= count > 1;
                let mv = self.moves.list[random.below(count as u64) as usize];
                let step = machine.apply(&self.state, &mv, &mut self.next);
                std::mem::swap(&mut self.state, &mut self.next);
                steps += 1;
                if !step.proceeds {
                    break;
                }
                control = step.control;
            }
            self.steps += steps as u64;
            if control == Control::Free {
                let start = batch.bytes.len() as u32;
                batch.bytes.extend_from_slice(&self.state);
                batch.arrivals.push(Arrival { start, len: self.state.len() as u32, control, ..inside });
            }
            if !is_open {
                return;
            }
        }
    }
}

/// States from all over the state space, up to a number for each length, and those that show what varies; of a small one all,
/// but for the first perhaps. Same seed, same states.
pub fn sample(machine: &mut dyn Machine, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let hash = StateHash::new(seed);
    let mut first = Vec::new();
    if machine.initial(&mut first).is_err() {
        return Vec::new();
    }
    let mut drawn: BTreeMap<usize, Drawn> = BTreeMap::new();
    let mut new_bits = NewBits::default();
    let mut known: FxHashSet<u64> = FxHashSet::default();
    let (mut moves, mut batch) = (Moves::default(), Batch::default());
    let mut walker = Walker { state: Vec::new(), next: Vec::new(), moves: Moves::default(), steps: 0 };
    let mut children: Vec<Span> = Vec::new();
    let (mut beam, mut is_whole) = (BEAM, true);
    let mut before = 0;
    let mut level = vec![first.clone()];
    while walker.steps < count as u64 * STEPS {
        let mut below = Vec::new();
        let mut spare = Drawn::default();
        for from in &level {
            batch.clear();
            machine.expand(from, &mut moves, &mut batch);
            walker.steps += moves.list.len() as u64;
            for at in 0..batch.arrivals.len() {
                let arrival = batch.arrivals[at];
                if arrival.control != Control::Free {
                    walker.walk(machine, &mut batch, arrival, &mut random);
                }
            }
            children.clear();
            for arrival in batch.arrivals.iter().filter(|arrival| arrival.control == Control::Free) {
                let state = batch.state(arrival);
                if known.insert(hash.of(state)) {
                    children.push(arrival.span());
                    drawn.entry(state.len()).or_default().meet(state, count, &mut random);
                    new_bits.meet(state);
                }
            }
            if !children.is_empty() {
                let heir = children.swap_remove(random.below(children.len() as u64) as usize);
                below.push(heir.state(&batch.bytes).to_vec());
                children.iter().for_each(|child| spare.meet(child.state(&batch.bytes), beam, &mut random));
            }
        }
        let rest = beam.saturating_sub(below.len());
        is_whole &= spare.met <= rest as u64;
        below.extend(spare.states.into_iter().take(rest));
        level = below;
        if level.is_empty() {
            // The next one takes twice as long, and one that is cut short would show the first levels only.
            let took = walker.steps - before;
            if is_whole || beam == BEAM_LAST || walker.steps + 2 * took > count as u64 * STEPS {
                break;
            }
            before = walker.steps;
            drawn.clear();
            beam *= 2;
            level.push(first.clone());
            known.clear();
        }
    }
    let mut states = new_bits.states;
    let known: FxHashSet<u64> = states.iter().map(|state| hash.of(state)).collect();
    let drawn = drawn.into_values().flat_map(|of_length| of_length.states).take(count * LENGTHS);
    states.extend(drawn.filter(|state| !known.contains(&hash.of(state))));
    states
}
