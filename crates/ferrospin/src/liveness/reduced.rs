//! Whether a search for cycles may be reduced, and why not.

use super::Question;
use crate::reduction;
use crate::report::PropertyKind;
use crate::verify::{Emptiness, Options};
use ferrospin_model::ir::{Expr, Model};
use ferrospin_model::passes::walk::{self, Item};
use ferrospin_search::emptiness::product::Goal;
use ferrospin_system::Reduction;
use std::ops::Range;
use std::sync::Arc;

/// What became of the wish for a reduction.
pub(super) struct Reduced {
    /// The reduction, and the claim's bytes in a state.
    pub(super) reduction: Option<(Box<dyn Reduction>, Range<usize>)>,
    /// Why there is none.
    pub(super) note: Option<String>,
}

/// The reduction for a property, where it was asked for and is sound.
pub(super) fn reduction(
    model: &Arc<Model>,
    options: &Options,
    question: &Question<'_>,
    algorithm: Emptiness,
) -> Reduced {
    let none = |note| Reduced { reduction: None, note };
    if !options.partial_order {
        return none(None);
    }
    if let Some(note) = off(options, algorithm) {
        return none(Some(note));
    }
    let because = |why: &str| none(Some(format!("reduction is off: {why}")));
    if !question.stutters {
        let what = if question.kind == PropertyKind::Never { "the claim" } else { "the property" };
        return because(&format!("{what} may depend on stuttering (`--stutter-close` closes it)"));
    }
    if claim_sees_everything(model) {
        return because("the claim sees `timeout`, which every step may change");
    }
    let claim = model.layout.claim.map_or(0..0, |(claim, at)| {
        let at = at as usize;
        at..at + model.process(claim).frame_size as usize
    });
    match reduction::reduction_for_cycles(model, question.goal == Goal::NonProgress, options.selector) {
        Ok(reduction) => Reduced { reduction: Some((reduction, claim)), note: None },
        Err(reason) => because(&reason.to_string()),
    }
}

/// Why a search cannot be reduced, whatever the property is.
pub(super) fn off(options: &Options, algorithm: Emptiness) -> Option<String> {
    let why = match algorithm {
        _ if !options.partial_order => return None,
        _ if options.fair => "fairness asks about every move",
        Emptiness::Cndfs | Emptiness::Ufscc => "searches by many workers do without it; `--emptiness couvreur` has it",
        Emptiness::Testing => "a breadth-first search for livelocks does without it; `--emptiness couvreur` has it",
        _ => return None,
    };
    Some(format!("reduction is off: {why}"))
}

/// Whether the claim reads something that any step may change.
fn claim_sees_everything(model: &Model) -> bool {
    let Some((claim, _)) = model.layout.claim else { return false };
    let own = model.edges.iter().filter(|e| model.location(e.from).process == claim);
    own.flat_map(|e| std::iter::once(&e.action).chain(&e.then)).any(|action| {
        let mut sees = false;
        walk::action(action, &mut |item| {
            let everything = [Expr::Timeout, Expr::Last, Expr::Foreign];
            let is = |e: &Expr| everything.contains(e) || matches!(e, Expr::Enabled(_) | Expr::PcValue(_));
            sees |= matches!(item, Item::Expr(e) if is(e));
        });
        sees
    })
}
