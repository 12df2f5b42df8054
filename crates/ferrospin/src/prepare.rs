//! What a search works on: the model behind the passes, and the way back.
//!
//! Statement merging and dead-value resetting make a model smaller without changing a verdict. What a search finds on the
//! smaller model is told in terms of the plain one: a [`Prepared`] turns trails, cycles and the list of edges taken into
//! those of the plain graphs, so that counterexamples, places and unreached code never depend on the passes.
//!
//! The passes keep the numbers of locations and edges. A merged step is an edge and the edges behind it, of which none
//! can block. A step that fails fails at one of them, and a trail ends there.

use crate::trails::plain_moves;
use crate::verify::Options;
use ferrospin_interp::Interp;
use ferrospin_model::ir::{EdgeId, Model};
use ferrospin_model::passes::forgotten::Forgotten;
use ferrospin_model::passes::{self, Optimized, Passes};
use ferrospin_search::cycles::Lasso;
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::safety::{Fault, Outcome, Violation};
use ferrospin_system::{Failure, Machine, Move, NO_EDGE, NO_PROCESS};
use std::sync::Arc;

/// What a property can tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notices {
    /// Only whether a state can be reached: safety. What is never read need not be the same again.
    Failures,
    /// Only changes: repeating a state makes no difference. Labels, formulas without `X`.
    Changes,
    /// Every step: `never` claims, formulas with `X`, the length of a run. Statements are not merged then.
    Steps,
}

/// See the module.
#[derive(Clone)]
pub struct Prepared {
    /// What is searched.
    pub model: Arc<Model>,
    /// What is told.
    pub plain: Arc<Model>,
    /// For each edge, those that are taken behind it in the same step; empty where nothing is merged.
    merged: Vec<Vec<EdgeId>>,
    /// What the states of the model that is searched do not tell.
    pub forgotten: Forgotten,
    /// The passes that were run.
    pub passes: Passes,
}

/// Prepares a model for a search. A claim that runs beside must have been added, because it may look at variables and
/// locations. Where the time is over, passes are left out.
pub fn prepare(model: &Arc<Model>, options: &Options, notices: Notices) -> Prepared {
    let passes = if options.optimize { notices.passes() } else { Passes::default() };
    if passes == Passes::default() {
        let forgotten = Forgotten::default();
        return Prepared { model: model.clone(), plain: model.clone(), merged: Vec::new(), forgotten, passes };
    }
    let optimized = passes::run_while(model, passes, &|| options.over().is_none());
    Prepared::of(model, passes, optimized)
}

impl Notices {
    /// The passes that keep what a property can tell apart.
    fn passes(self) -> Passes {
        match self {
            Notices::Failures => Passes::ALL,
            Notices::Changes => Passes::CYCLES,
            Notices::Steps => Passes::STEPS,
        }
    }
}

impl Prepared {
    /// A model behind some passes.
    pub fn by(plain: &Arc<Model>, passes: Passes) -> Prepared {
        Prepared::of(plain, passes, passes::run(plain, passes))
    }

    /// A model with what some passes have made of it.
    pub(crate) fn of(plain: &Arc<Model>, passes: Passes, optimized: Optimized) -> Prepared {
        let Optimized { model, merged, forgotten } = optimized;
        Prepared { model: Arc::new(model), plain: plain.clone(), merged, forgotten, passes }
    }

    /// Whether some step is several of the plain graphs.
    pub(crate) fn is_merged(&self) -> bool {
        self.merged.iter().any(|behind| !behind.is_empty())
    }

    fn behind(&self, edge: EdgeId) -> Vec<EdgeId> {
        self.merged.get(edge.index()).cloned().unwrap_or_default()
    }

    /// The moves on the plain graphs. What the claim does beside is kept with the first move of each step.
    pub fn plain_moves(&self, moves: &[Move]) -> Vec<Move> {
        plain_moves(moves, |e| self.behind(e))
    }

    /// A violation with its trail on the plain graphs.
    pub fn plain_violation(&self, found: &Violation) -> Violation {
        let Some((last, before)) = found.trail.split_last() else { return found.clone() };
        let (mut trail, steps) = (self.plain_moves(before), self.plain_moves(&[*last]));
        // A failure of the step itself ends it, one while looking for moves comes behind the whole step.
        if let Fault::Failure(f) = found.fault
            && let Some((count, failure)) = self.failing(&trail, &steps, &f)
        {
            trail.extend_from_slice(&steps[..count]);
            return Violation { fault: Fault::Failure(failure), trail };
        }
        trail.extend(steps);
        Violation { fault: found.fault, trail }
    }

    /// Which of the steps behind a trail fails as a merged step did: how many they are up to there, and the failure.
    fn failing(&self, trail: &[Move], steps: &[Move], merged: &Failure) -> Option<(usize, Failure)> {
        let mut machine = WithMonitor::new(Interp::new(self.plain.clone()));
        let (mut state, mut next) = (Vec::new(), Vec::new());
        if let Err(failure) = machine.initial(&mut state) {
            return (failure == *merged).then_some((0, failure));
        }
        for (i, mv) in trail.iter().chain(steps).enumerate() {
            let step = machine.apply(&state, mv, &mut next);
            let count = (i + 1).checked_sub(trail.len());
            let first = if steps[0].edge == NO_EDGE { steps[0].property } else { steps[0].edge };
            if let (Some(count @ 1..), Some(failure)) = (count, step.failure)
                && failure.code == merged.code
                && merged.edge == first
            {
                return Some((count, failure));
            }
            if !step.proceeds {
                break;
            }
            std::mem::swap(&mut state, &mut next);
        }
        None
    }

    /// A run with a cycle on the plain graphs. Values that were reset may make the first round differ from all others;
    /// then the cycle starts one round later.
    pub fn plain_lasso(&self, lasso: &Lasso) -> Lasso {
        let mut stem = self.plain_moves(&lasso.stem);
        let cycle = self.plain_moves(&lasso.cycle);
        let mut machine = Interp::new(self.plain.clone());
        let mut state = Vec::new();
        if machine.initial(&mut state).is_ok() {
            walk(&mut machine, &mut state, &stem);
            let start = state.clone();
            walk(&mut machine, &mut state, &cycle);
            if state != start {
                stem.extend_from_slice(&cycle);
            }
        }
        Lasso { stem, cycle }
    }

    /// Tells the outcome of a search in terms of the plain graphs.
    pub fn tell_plainly(&self, outcome: &mut Outcome) {
        outcome.violations = outcome.violations.iter().map(|v| self.plain_violation(v)).collect();
        outcome.taken = self.plain_taken(&outcome.taken);
    }

    /// Which edges of the plain graphs were taken, given those of the graphs that were searched.
    pub fn plain_taken(&self, taken: &[bool]) -> Vec<bool> {
        let mut plain = taken.to_vec();
        for (e, merged) in self.merged.iter().enumerate().filter(|(e, _)| taken.get(*e) == Some(&true)) {
            debug_assert!(e < plain.len(), "the passes keep the edges");
            for m in merged {
                plain[m.index()] = true;
            }
        }
        plain
    }
}

/// Takes moves, those of the claim left out.
fn walk(machine: &mut Interp, state: &mut Vec<u8>, moves: &[Move]) {
    let mut next = Vec::new();
    for mv in moves.iter().filter(|m| m.process != NO_PROCESS) {
        machine.apply(state, &Move { property: NO_EDGE, stutter: false, ..*mv }, &mut next);
        std::mem::swap(state, &mut next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{self, Front};
    use ferrospin_search::naive;
    use ferrospin_search::safety::Options;

    fn read(text: &str) -> (Front, Arc<Model>) {
        let front =
            front::read_text("m.pml", text, &front::Options::default(), &mut crate::files::DiskLoader::default());
        let model = crate::run::prepare(&front).expect("it can be run").model;
        (front, model)
    }

    /// Searches the prepared model, and runs what was found on the plain one.
    fn check(text: &str) -> String {
        let (_front, model) = read(text);
        let prepared = prepare(&model, &crate::verify::Options::default(), Notices::Changes);
        let outcome = naive::search(
            &mut Interp::new(prepared.model.clone()),
            &Options::default(),
            model.edges.len(),
            &mut |_| true,
        );
        let lines = |taken: &[bool]| taken.iter().filter(|t| **t).count();
        let (few, all) = (lines(&outcome.taken), lines(&prepared.plain_taken(&outcome.taken)));
        let Some(found) = outcome.violations.first() else { return format!("holds; {few} edges taken, {all} plain") };
        let plain = prepared.plain_violation(found);
        let mut machine = Interp::new(model);
        let (mut state, mut next) = (Vec::new(), Vec::new());
        machine.initial(&mut state).expect("there is one");
        let mut last = None;
        let mut moves = ferrospin_system::Moves::default();
        let mut control = ferrospin_system::Control::Free;
        for mv in &plain.trail {
            machine.moves(&state, control, &mut moves);
            assert!(moves.list.contains(mv), "{mv:?} can be taken");
            let step = machine.apply(&state, mv, &mut next);
            (last, control) = (step.failure, step.control);
            std::mem::swap(&mut state, &mut next);
        }
        machine.moves(&state, control, &mut moves);
        let end = match (last, moves.failures.first(), moves.list.is_empty()) {
            (Some(f), ..) => ferrospin_interp::failure_kind(f.code).to_string(),
            (None, Some(f), _) => format!("looking: {}", ferrospin_interp::failure_kind(f.code)),
            (None, None, true) => "stuck".into(),
            _ => "nothing".into(),
        };
        format!("{} moves, {} plain: {end}", found.trail.len(), plain.trail.len())
    }

    #[test]
    fn a_step_that_fails_is_not_gone_beyond() {
        let text = "active proctype P() { byte a, b; bit g; g = 1; a = 1; b = 2; assert(a == b); a = 3; b = 3; g = 0 }";
        // All of it is one step, which fails in its middle.
        assert_eq!(check(text), "1 moves, 4 plain: assertion violated");
    }

    #[test]
    fn a_step_inside_an_atomic_is_not_gone_beyond_either() {
        let text = "byte g[2]; active proctype P() { byte a; atomic { g[0] = 1; a = 7; g[a] = 1; g[0] = 2 } }";
        assert_eq!(check(text), "1 moves, 3 plain: index 7 is outside the array of 2");
    }

    #[test]
    fn a_failure_of_the_next_statement_comes_behind_the_whole_step() {
        let text = "byte g[2]; active proctype P() { byte a; g[0] = 1; a = 7; a = a + 1; g[a] == 0 -> skip }";
        assert_eq!(check(text), "1 moves, 3 plain: looking: index 8 is outside the array of 2");
    }

    #[test]
    fn a_deadlock_comes_behind_the_whole_step() {
        let text = "byte g; active proctype P() { byte a; g = 1; a = 7; a = a + 1; g == 2 && a == 8 }";
        assert_eq!(check(text), "1 moves, 3 plain: stuck");
    }

    #[test]
    fn what_was_merged_was_taken() {
        let text = "byte g; active proctype P() { byte a; g = 1; a = 7; a = a + 1; g = a }";
        assert_eq!(check(text), "holds; 3 edges taken, 5 plain");
    }

    #[test]
    fn a_cycle_whose_first_round_differs_starts_one_round_later() {
        let text = "byte g; active proctype P() { byte a = 5; g = a; g = 1; do :: a = 1; g = 2; g = a od }";
        let (_front, model) = read(text);
        let prepared = prepare(&model, &crate::verify::Options::default(), Notices::Steps);
        let mut machine = Interp::new(prepared.model.clone());
        let (mut state, mut next) = (Vec::new(), Vec::new());
        machine.initial(&mut state).expect("there is one");
        let (mut seen, mut path) = (vec![state.clone()], Vec::new());
        let mut moves = ferrospin_system::Moves::default();
        let lasso = loop {
            machine.moves(&state, ferrospin_system::Control::Free, &mut moves);
            let mv = moves.list[0];
            machine.apply(&state, &mv, &mut next);
            std::mem::swap(&mut state, &mut next);
            path.push(mv);
            if let Some(at) = seen.iter().position(|s| *s == state) {
                break Lasso { stem: path[..at].to_vec(), cycle: path[at..].to_vec() };
            }
            seen.push(state.clone());
        };
        let plain = prepared.plain_lasso(&lasso);
        let mut machine = Interp::new(model);
        machine.initial(&mut state).expect("there is one");
        walk(&mut machine, &mut state, &plain.stem);
        let start = state.clone();
        walk(&mut machine, &mut state, &plain.cycle);
        assert_eq!(state, start);
        assert_eq!(plain.stem.len(), lasso.stem.len() + lasso.cycle.len());
    }

    /// Callers of the library have no guard: what comes before a search looks at the clock, and the search ends at once.
    #[test]
    fn where_the_time_is_over_nothing_is_prepared() {
        let (front, model) = read("active proctype P() { byte a; a = 1; a = 2; assert(a == 2) }");
        let mut options = crate::verify::Options::default();
        let is_merged = |o: &_| prepare(&model, o, Notices::Failures).merged.iter().any(|m| !m.is_empty());
        assert!(is_merged(&options));
        options.hooks.deadline = Some(std::time::Instant::now());
        assert!(!is_merged(&options));
        assert_eq!(crate::executors::Maker::new(&model, &options, None).name(), "interp");
        let report = crate::verify::verify(&front, &options).expect("it can be checked");
        assert_eq!(report.properties[0].verdict, crate::report::Verdict::Undecided);
    }
}
