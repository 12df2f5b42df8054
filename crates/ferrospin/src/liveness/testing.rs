//! Formulas by testing automata: beside the model, without a claim.

use super::{Answer, Graphs, Question, answer};
use crate::executors::Maker;
use crate::front::Front;
use crate::prepare::{Notices, prepare};
use crate::report::PropertyKind;
use crate::verify::{Emptiness, Options, Refusal};
use crate::watch::Watch;
use ferrospin_check::testing::Testing;
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::AtomId;
use ferrospin_model::ir::Model;
use ferrospin_search::emptiness::product::Goal;
use std::sync::Arc;

/// Checks a formula by a testing automaton.
pub(super) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    property: &Property,
) -> Result<Answer, Refusal> {
    let testing = Testing::new(name, &property.formulas, property.formula, options)?;
    let watch = Watch::start(options);
    let question = Question {
        name,
        kind: PropertyKind::Ltl,
        goal: Goal::Accepting,
        claim: None,
        property: Some(property),
        stutters: true,
        ends_early: false,
        only_infinite: false,
    };
    let plainly = Options { optimize: false, ..options.clone() };
    let (prepared, maker) = (&prepare(model, &plainly, Notices::Steps), &Maker::new(model, options, None));
    let graphs = Graphs { front, prepared, question: &question, maker };
    let read = testing.atoms().iter().map(|AtomId(i)| property.atoms[*i as usize].clone());
    let letters = Maker::new(&Arc::new(model.with_propositions(read)), options, None).machine();
    if let Some(answer) = testing.check(question.sought(), &graphs, letters, options, &watch)? {
        return Ok(answer);
    }
    // Runs that fail or never leave an `atomic` need the claim, which may see a violation before.
    let (with, claim) = claim::add(model, property)
        .map_err(|why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}")))?;
    let question = Question { claim: Some(claim), ends_early: true, ..question };
    let options = Options { emptiness: Emptiness::Auto, ..options.clone() };
    answer(front, &Arc::new(with.with_claim(claim)), &options, &question)
}
