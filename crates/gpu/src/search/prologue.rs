//! The beginning of a search: as long as a state has one successor, the CPU takes the steps, and what happens there takes no bits.

use ferrospin_system::{Control, Failure, Machine, Move, Moves};

/// States of a prologue at most.
const PROLOGUE_MAX: usize = 4096;

/// The beginning, as long as there is no choice.
#[derive(Clone)]
pub(super) struct Prologue {
    pub(super) states: Vec<Vec<u8>>,
    /// The moves from each to the next.
    pub(super) moves: Vec<Vec<Move>>,
    pub(super) inner: u64,
}

impl Prologue {
    /// Where the search begins.
    pub(super) fn last(&self) -> &Vec<u8> {
        self.states.last().expect("the initial state is one")
    }
}

/// Walks from the initial state, if it is to, as long as there is one move.
pub(super) fn prologue(machine: &mut dyn Machine, walks: bool) -> Result<Prologue, Failure> {
    let mut first = Vec::new();
    machine.initial(&mut first)?;
    let mut p = Prologue { states: vec![first], moves: Vec::new(), inner: 0 };
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    while walks && p.states.len() < PROLOGUE_MAX {
        let mut at = p.states.last().expect("there is one").clone();
        let (mut control, mut path) = (Control::Free, Vec::new());
        let mut inner = 0;
        loop {
            machine.moves(&at, control, &mut moves);
            let only = match moves.list[..] {
                [only] if moves.failures.is_empty() && path.len() < PROLOGUE_MAX => only,
                _ => return Ok(p),
            };
            let step = machine.apply(&at, &only, &mut next);
            if !step.proceeds || step.failure.is_some() {
                return Ok(p);
            }
            path.push(only);
            std::mem::swap(&mut at, &mut next);
            control = step.control;
            if control == Control::Free {
                break;
            }
            inner += 1;
            // A process that is blocked inside `atomic` loses control.
            machine.moves(&at, control, &mut moves);
            if moves.list.is_empty() && moves.failures.is_empty() {
                break;
            }
        }
        if p.states.contains(&at) {
            return Ok(p);
        }
        p.states.push(at);
        p.moves.push(path);
        p.inner += inner;
    }
    Ok(p)
}
