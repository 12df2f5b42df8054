//! Passes: a model in, a smaller model with the same verdicts out.
//!
//! Locations and edges keep their numbers, so that a step of the optimised model can be told as steps of the plain one:
//! see [`Optimized::plain_steps`]. A pass reads the whole model, claims included; it must therefore run behind whatever
//! adds claims.
//!
//! What stays the same: every violation of safety, and every property that does not change when a state is repeated
//! (formulas without `X`; the caller decides, as with partial-order reduction).

pub mod dead_values;
pub mod merge;
pub mod tallies;
pub mod walk;

use crate::ir::{EdgeId, Model, ProcessKind};
use walk::Item;

/// A model behind the passes.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The model.
    pub model: Model,
    /// For each edge, the edges of the plain model that are taken behind it in the same step.
    pub merged: Vec<Vec<EdgeId>>,
}

impl Optimized {
    /// What a step over an edge is in the plain model.
    pub fn plain_steps(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> {
        std::iter::once(edge).chain(self.merged[edge.index()].iter().copied())
    }
}

/// Runs all passes that keep cycles; see [`tallies`] for the one that does not.
pub fn optimize(model: &Model) -> Optimized {
    let mut model = model.clone();
    let merged = merge::merge(&mut model);
    debug_assert_eq!(crate::verify::verify(&model), Ok(()), "merging keeps the rules");
    dead_values::dead_values(&mut model);
    debug_assert_eq!(crate::verify::verify(&model), Ok(()), "resetting keeps the rules");
    Optimized { model, merged }
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
