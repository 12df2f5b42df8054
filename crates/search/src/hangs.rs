//! What a run that never leaves an `atomic` is worth to a property.
//!
//! An `atomic` is one step, and here it is a step that is never done: the system stays for ever where it began, as a run does
//! that stops. The property goes on alone and reads the same letter again and again. It accepts when it passes an accepting state
//! for ever, when it comes to its end, or when it cannot be evaluated.
//!
//! So the answer depends on the language of the property only, not on where one of its forms stands after a given number of letters.

use ferrospin_system::{Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS};
use rustc_hash::FxHashMap;

/// Whether the property accepts when it goes on alone from a state in which an `atomic` without an end can begin. All may move
/// there, or the property is inside an `atomic` of its own.
pub fn accepts(machine: &mut dyn Machine, state: &[u8]) -> bool {
    let mut numbers: FxHashMap<Vec<u8>, usize> = FxHashMap::from_iter([(state.to_vec(), 0)]);
    let mut states = vec![state.to_vec()];
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    while let Some(state) = states.get(edges.len()).cloned() {
        machine.moves(&state, ferrospin_system::Control::Free, &mut moves);
        if moves.failures.iter().any(|f| f.process == NO_PROCESS) {
            return true;
        }
        let mut targets = Vec::new();
        let mut properties: Vec<u32> = moves.list.iter().map(|m| m.property).filter(|c| *c != NO_EDGE).collect();
        properties.dedup();
        for property in properties {
            let alone = Move { property, ..Move::single(NO_PROCESS, NO_EDGE) };
            let step = machine.apply(&state, &alone, &mut next);
            if step.failure.is_some_and(|f| f.process == NO_PROCESS) {
                return true;
            }
            if step.proceeds {
                targets.push(*numbers.entry(next.clone()).or_insert_with(|| {
                    states.push(next.clone());
                    states.len() - 1
                }));
            }
        }
        edges.push(targets);
    }
    (0..states.len()).any(|n| machine.labels(&states[n], Labels::ACCEPT).has(Labels::ACCEPT) && comes_back(&edges, n))
}

/// Whether a node lies on a cycle.
fn comes_back(edges: &[Vec<usize>], to: usize) -> bool {
    let mut reached = vec![false; edges.len()];
    let mut stack = vec![to];
    while let Some(n) = stack.pop() {
        for t in &edges[n] {
            if !std::mem::replace(&mut reached[*t], true) {
                stack.push(*t);
            }
        }
    }
    reached[to]
}
