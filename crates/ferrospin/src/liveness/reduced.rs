//! Whether a search for cycles may be reduced, and why not.

use super::Question;
use crate::reduction::{self, Keep};
use crate::report::PropertyKind;
use crate::sensitive::Sensitive;
use crate::verify::{Emptiness, Options};
use ferrospin_check::cycles::{Reduced, unreduced};
use ferrospin_model::ir::{Expr, Model};
use ferrospin_model::passes::walk::{self, Item};
use ferrospin_search::emptiness::product::Goal;
use std::sync::Arc;

/// The reduction for a property, where it was asked for and is sound; other moves may count as visible than those that are.
pub(super) fn reduction(
    model: &Arc<Model>,
    options: &Options,
    question: &Question<'_>,
    algorithm: Emptiness,
    sensitive: Option<Sensitive>,
) -> Reduced {
    let selector = options.selector;
    let none = |note| Reduced::none(options, note);
    if !options.partial_order {
        return none(None);
    }
    if let Some(note) = unreduced(options, algorithm) {
        return none(Some(note));
    }
    let because = |why: &str| none(Some(format!("reduction is off: {why}")));
    if !question.stutters {
        let what = if question.kind == PropertyKind::Never { "the claim" } else { "the property" };
        return because(&format!("{what} may depend on stuttering (`--stutter-close` closes it)"));
    }
    if let Some(what) = claim_sees_everything(model) {
        return because(&format!("the claim sees `{what}`, which every step may change"));
    }
    let claim = model.layout.claim.map_or(0..0, |(claim, at)| {
        let at = at as usize;
        at..at + model.process(claim).frame_size as usize
    });
    match reduction::known_for_cycles(model, question.goal == Goal::NonProgress) {
        Ok(known) => {
            let known = match sensitive {
                Some(sensitive) => known.with_sensitive(sensitive),
                None => known,
            };
            Reduced { reduction: Some((known.reduction(Keep::Visible, selector), claim)), selector, note: None }
        }
        Err(reason) => because(&reason.to_string()),
    }
}

/// What the claim reads that any step may change.
fn claim_sees_everything(model: &Model) -> Option<&'static str> {
    let (claim, _) = model.layout.claim?;
    let own = model.edges.iter().filter(|e| model.location(e.from).process == claim);
    let mut sees = None;
    for action in own.flat_map(|e| std::iter::once(&e.action).chain(&e.then)) {
        walk::action(action, &mut |item| {
            sees = match item {
                Item::Expr(Expr::Timeout) => Some("timeout"),
                Item::Expr(Expr::Last) => Some("_last"),
                Item::Expr(Expr::Enabled(_)) => Some("enabled"),
                Item::Expr(Expr::PcValue(_)) => Some("pc_value"),
                Item::Expr(Expr::Foreign) => Some("c_expr"),
                _ => sees,
            };
        });
    }
    sees
}
