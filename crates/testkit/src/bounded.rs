//! A machine that gives up after a number of steps.
//!
//! Inside an `atomic` every way is walked, and there may be far too many ways. No search asks in the
//! middle of an `atomic` whether it should go on, so that the machine unwinds the stack, and [`bounded`] catches it.

use ferrospin_interp::Interp;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::Model;
use ferrospin_search::naive;
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, Step};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// What is thrown.
struct GaveUp;

/// Runs a search over a machine for a number of steps; `None` when they were not enough.
pub fn bounded<M: Machine, T>(machine: M, steps_max: u64, search: impl FnOnce(&mut dyn Machine) -> T) -> Option<T> {
    let mut machine = Bounded { machine, steps_left: steps_max, steps_of_endless: steps_max / ENDLESS_MAX };
    match catch_unwind(AssertUnwindSafe(|| search(&mut machine))) {
        Ok(found) => Some(found),
        Err(thrown) if thrown.is::<GaveUp>() => None,
        Err(thrown) => resume_unwind(thrown),
    }
}

/// Steps that a model may make for each state that may be stored, before it counts as too large.
const STEPS_A_STATE: u64 = 64;

/// Whether a model has at most this many states, and no `atomic` with too many ways through it.
pub fn is_small(model: &Arc<Model>, states_max: u64) -> bool {
    let options = naive::Options { errors_max: 0, states_max: states_max + 1, ..naive::Options::default() };
    let found = bounded(Interp::new(model.clone()), STEPS_A_STATE * states_max, |m| {
        naive::search(m, &options, model.edges.len(), &mut |_| true).states
    });
    found.is_some_and(|states| states <= states_max)
}

/// Endless runs through a `d_step` exhaust all steps when there are this many: each takes a million statements.
const ENDLESS_MAX: u64 = 8;

struct Bounded<M> {
    machine: M,
    steps_left: u64,
    steps_of_endless: u64,
}

impl<M: Machine> Machine for Bounded<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.machine.moves(state, control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        if self.steps_left == 0 {
            resume_unwind(Box::new(GaveUp));
        }
        self.steps_left -= 1;
        let step = self.machine.apply(state, mv, out);
        if step.failure.is_some_and(|f| f.code.number == FailureKind::EndlessDStep.number()) {
            self.steps_left = self.steps_left.saturating_sub(self.steps_of_endless);
        }
        step
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        self.machine.labels(state, asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_with_too_few_steps_gives_no_answer() {
        let model =
            crate::model("m.pml", "byte x; active proctype P() { do :: x < 9 -> x++ :: else -> break od }", &[]);
        let model = Arc::new(model.expect("it can be read"));
        let states = |steps_max| {
            bounded(Interp::new(model.clone()), steps_max, |m| {
                naive::search(m, &naive::Options::default(), model.edges.len(), &mut |_| true).states
            })
        };
        let all = states(1000).expect("enough");
        assert_eq!(states(all), Some(all));
        assert_eq!(states(3), None);
        assert!(is_small(&model, all) && !is_small(&model, 0));
    }
}
