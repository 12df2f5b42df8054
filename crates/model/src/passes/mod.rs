//! Passes: a model in, a smaller model with the same verdicts out.
//!
//! Locations and edges keep their numbers, so that a step of the optimised model can be told as steps of the plain one:
//! see [`Optimized::plain_steps`]. A pass reads the whole model, claims included; it must therefore run behind whatever
//! adds claims.
//!
//! Each pass can be left out, and any can stop on its way: what it has changed until then is right. So limits on time are kept here by
//! [`run_while`].
//!
//! What stays the same: every violation of safety, and every property that does not change when a state is repeated
//! (formulas without `X`; the caller decides, as with partial-order reduction).

pub mod dead_values;
pub mod forgotten;
pub mod merge;
pub mod tallies;
pub mod walk;

use crate::ir::{EdgeId, Model, ProcessKind};
use crate::mutant::Mutant;
use forgotten::Forgotten;
use walk::Item;

/// A model behind the passes.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The model.
    pub model: Model,
    /// For each edge, the edges of the plain model that are taken behind it in the same step; nothing at all where nothing is
    /// merged.
    pub merged: Vec<Vec<EdgeId>>,
    /// What its states do not tell.
    pub forgotten: Forgotten,
}

/// Which passes are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Passes {
    pub tallies: bool,
    pub merge: bool,
    pub dead_values: bool,
}

impl Passes {
    /// All of them: for safety.
    pub const ALL: Passes = Passes { tallies: true, ..Passes::CYCLES };
    /// Those that keep cycles; see [`tallies`] for the one that does not.
    pub const CYCLES: Passes = Passes { tallies: false, merge: true, dead_values: true };
    /// Those that keep the number of steps as well.
    pub const STEPS: Passes = Passes { merge: false, ..Passes::CYCLES };

    /// For each pass that is run, its name and the others.
    pub fn without_each(self) -> impl Iterator<Item = (&'static str, Passes)> {
        [
            ("tallies", self.tallies, Passes { tallies: false, ..self }),
            ("statement merging", self.merge, Passes { merge: false, ..self }),
            ("dead values", self.dead_values, Passes { dead_values: false, ..self }),
        ]
        .into_iter()
        .filter_map(|(name, is_run, others)| is_run.then_some((name, others)))
    }
}

impl Optimized {
    /// What a step over an edge is in the plain model.
    pub fn plain_steps(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> {
        std::iter::once(edge).chain(self.merged.get(edge.index()).into_iter().flatten().copied())
    }
}

/// Says whether to go on; asked now and then.
pub type GoOn<'a> = &'a dyn Fn() -> bool;

/// Steps of a pass between two questions whether to go on.
const STEPS_BETWEEN: usize = 256;

/// Runs passes.
pub fn run(model: &Model, passes: Passes) -> Optimized {
    run_mutated(model, passes, Mutant::NONE)
}

/// Runs passes as far as they come while `go_on` says yes.
pub fn run_while(model: &Model, passes: Passes, go_on: GoOn<'_>) -> Optimized {
    run_all(model, passes, Mutant::NONE, go_on)
}

/// Runs passes one of which may lack a condition; for tests.
pub fn run_mutated(model: &Model, passes: Passes, mutant: Mutant) -> Optimized {
    run_all(model, passes, mutant, &|| true)
}

fn run_all(model: &Model, passes: Passes, mutant: Mutant, go_on: GoOn<'_>) -> Optimized {
    let mut model = model.clone();
    let (mut forgotten, mut merged) = (Forgotten::default(), Vec::new());
    if passes.tallies && go_on() {
        forgotten.add_tallies(&tallies::mutated(&mut model, mutant));
    }
    if passes.merge && go_on() {
        merged = merge::mutated(&mut model, mutant, go_on);
        debug_assert_eq!(crate::verify::verify(&model), Ok(()), "merging keeps the rules");
    }
    if passes.dead_values && go_on() {
        forgotten.dead = dead_values::mutated(&mut model, mutant, go_on);
        debug_assert_eq!(crate::verify::verify(&model), Ok(()), "resetting keeps the rules");
    }
    Optimized { model, merged, forgotten }
}

/// Runs all passes that keep cycles.
pub fn optimize(model: &Model) -> Optimized {
    run(model, Passes::CYCLES)
}

/// Whether a process type is one that runs, not one that watches.
fn runs(kind: ProcessKind) -> bool {
    matches!(kind, ProcessKind::Proctype | ProcessKind::Init)
}

/// Visits everything that is mentioned anywhere in a model.
pub(crate) fn everything<'a>(model: &'a Model, f: &mut dyn FnMut(Item<'a>)) {
    walk::init(&model.init, f);
    model.processes.iter().for_each(|p| walk::birth(p, f));
    for e in &model.edges {
        walk::action(&e.action, f);
        e.then.iter().for_each(|a| walk::action(a, f));
    }
}
