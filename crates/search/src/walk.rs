//! Random walks: runs from the initial state that choose each move by chance, until one goes wrong.
//!
//! Nothing is stored, so a walk needs no memory however large the state space is, and shows nothing but violations.

use crate::observe::{ASKING, Observer, Progress};
use crate::random::Random;
use crate::safety::{Fault, Options, Outcome, Stopped, Violation};
use ferrospin_system::{Control, Machine, Moves};
use std::time::Instant;

/// Walks until a violation is found or the observer says stop. A walk has at most `options.depth_max` steps.
pub fn walk(machine: &mut dyn Machine, options: &Options, edges: usize, seed: u64, observer: &dyn Observer) -> Outcome {
    let mut outcome = Outcome { taken: vec![false; edges], ..Outcome::default() };
    let mut random = Random::new(seed);
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    let mut asked = Instant::now();
    loop {
        if let Err(f) = machine.initial(&mut state) {
            outcome.errors = 1;
            outcome.violations.push(Violation { fault: Fault::Failure(f), trail: Vec::new() });
            outcome.stopped = Some(Stopped::Errors);
            return outcome;
        }
        outcome.state_bytes = outcome.state_bytes.max(state.len());
        let mut trail = Vec::new();
        let mut control = Control::Free;
        for step in 0..options.depth_max {
            machine.moves(&state, control, &mut moves);
            if moves.list.is_empty() && control != Control::Free {
                machine.moves(&state, Control::Free, &mut moves);
            }
            let mut fault = moves.failures.iter().find(|f| options.counts(f)).map(|f| Fault::Failure(*f));
            if moves.list.is_empty() && fault.is_none() {
                if !options.is_bad_end(machine, &state) {
                    break;
                }
                fault = Some(Fault::InvalidEndState);
            }
            if fault.is_none() {
                let mv = moves.list[random.below(moves.list.len() as u64) as usize];
                trail.push(mv);
                let taken = machine.apply(&state, &mv, &mut next);
                outcome.matched += 1;
                outcome.depth = outcome.depth.max(step + 1);
                for e in [mv.edge, mv.partner_edge, mv.property] {
                    if let Some(t) = outcome.taken.get_mut(e as usize) {
                        *t = true;
                    }
                }
                fault = taken.failure.filter(|f| options.counts(f)).map(Fault::Failure);
                control = taken.control;
                std::mem::swap(&mut state, &mut next);
                if fault.is_none() && !taken.proceeds {
                    break;
                }
            }
            if let Some(fault) = fault {
                outcome.errors = 1;
                outcome.violations.push(Violation { fault, trail });
                outcome.stopped = Some(Stopped::Errors);
                return outcome;
            }
            if step % 16 == 0 && asked.elapsed() > ASKING {
                asked = Instant::now();
                let progress = Progress { matched: outcome.matched, depth: outcome.depth, ..Progress::default() };
                if !observer.go_on(&progress) {
                    outcome.stopped = Some(Stopped::Caller);
                    return outcome;
                }
            }
        }
        outcome.walks += 1;
        let progress = Progress { matched: outcome.matched, depth: outcome.depth, ..Progress::default() };
        // A step through a long indivisible sequence takes milliseconds, and then few walks are many.
        if outcome.walks.is_multiple_of(64) || asked.elapsed() > ASKING {
            asked = Instant::now();
            if !observer.go_on(&progress) {
                outcome.stopped = Some(Stopped::Caller);
                return outcome;
            }
        }
    }
}
