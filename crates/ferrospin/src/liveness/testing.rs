//! Formulas by testing automata: [`ferrospin_search::emptiness::testing`] beside the model, without a claim.
//!
//! Whatever executes the model tells which propositions hold in a state.

use super::{Answer, Executing, Question, answer, finish, reduced};
use crate::executors::Maker;
use crate::front::Front;
use crate::prepare::{Notices, prepare};
use crate::report::PropertyKind;
use crate::searching::Searched;
use crate::verify::{Emptiness, Options, Refusal};
use crate::watch::Watch;
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{AtomId, Labels as BuchiLabels, Stuttering, Target, Testing as Table, stuttering, translate};
use ferrospin_model::ir::Model;
use ferrospin_search::BoxMachine;
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::product::{Goal, Product};
use ferrospin_search::emptiness::testing::{Automaton, Testing};
use ferrospin_search::emptiness::{Explorer, Figures, Verdict as Found, couvreur};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_store::Exact;
use ferrospin_system::{Labels, Machine, StateHash, Store};
use std::sync::Arc;

/// Checks a formula by a testing automaton.
pub(super) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    property: &Property,
) -> Result<Answer, Refusal> {
    let refuse = |why: String| Refusal::Refused(format!("`--emptiness testing`: {why}"));
    if options.fair {
        return Err(refuse("testing automata know no fairness; `couvreur` does".into()));
    }
    let mut formulas = property.formulas.clone();
    let mut labels = BuchiLabels::new();
    let no = formulas.not(property.formula);
    let error = |why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}"));
    if let Stuttering::Sensitive { .. } = stuttering(&mut formulas, no, &mut labels).map_err(error)? {
        return Err(refuse(format!("`{name}` depends on stuttering; `ferrospin ltl --check-stutter` shows words")));
    }
    let buchi = translate(&mut formulas, no, Target::Buchi, &mut labels).map_err(error)?;
    let Some(table) = Table::new(&buchi, &labels) else {
        return Err(refuse(format!("the testing automaton of `{name}` would be too large")));
    };
    let watch = Watch::start(options);
    let maker = Maker::new(model, options, None);
    let one_pass = table.only_livelocks();
    let (single, rest) = table.single_pass();
    let chosen = if one_pass { &table } else { &single };
    let automaton = Arc::new(Automaton {
        initial: chosen.initial.clone(),
        edges: chosen.edges.clone(),
        recurrent: chosen.recurrent.clone(),
        livelock: chosen.livelock.clone(),
        rest: (!one_pass).then_some(rest),
    });
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
    let mut letters = Letters::new(model, options, property, &table.atoms);
    let graph = Product::<u8>::new(maker.machine(), question.product(options));
    let graph = Testing::new(graph, automaton, move |state: &[u8]| letters.of(state));
    let store = Exact::new(&ferrospin_store::Options::limited(watch.memory_max_bytes() / 4 * 3));
    let go_on = &mut |figures: &Figures| {
        watch.go_on(&Progress {
            states: figures.states,
            matched: figures.transitions.saturating_sub(figures.states),
            depth: figures.depth,
            memory_bytes: store.memory_bytes() + 16 * figures.states,
            ..Progress::default()
        })
    };
    let mut x = Explorer::new(graph, store.handle(), StateHash::new(0));
    let outcome =
        if one_pass { livelock::search(&mut x, Order::BreadthFirst, go_on) } else { couvreur::search(&mut x, go_on) };
    drop(x);
    if matches!(outcome.verdict, Found::Empty) && outcome.cut.any() {
        // Runs that fail or never leave an `atomic` need the claim, which may see a violation before.
        let (with, claim) = claim::add(model, property).map_err(error)?;
        let question = Question { claim: Some(claim), ends_early: true, ..question };
        let options = Options { emptiness: Emptiness::Auto, ..options.clone() };
        return answer(front, &Arc::new(with.with_claim(claim)), &options, &question);
    }
    let searched = Searched { outcome, algorithm: Emptiness::Testing, threads: 1, store_bytes: store.memory_bytes() };
    let plain = prepare(model, false, Notices::Steps);
    let executing = Executing { maker: &maker, product: &|| maker.machine() };
    let mut found = finish(front, &plain, options, &question, searched, executing, &watch)?;
    let form = if one_pass { "one pass for livelocks" } else { "the single-pass form" };
    let size = format!("{} states", chosen.edges.len());
    found.report.notes.push(format!("testing automaton of {size}, {form}"));
    found.report.notes.extend(reduced::off(options, Emptiness::Testing));
    Ok(found)
}

/// Tells which propositions hold in a state.
struct Letters {
    machine: BoxMachine,
    asked: Labels,
}

impl Letters {
    fn new(model: &Model, options: &Options, property: &Property, atoms: &[AtomId]) -> Letters {
        let model = model.with_propositions(atoms.iter().map(|AtomId(i)| property.atoms[*i as usize].clone()));
        let asked = (0..atoms.len()).map(Labels::proposition).fold(Labels::NONE, |all, label| all | label);
        Letters { machine: Maker::new(&Arc::new(model), options, None).machine(), asked }
    }

    fn of(&mut self, state: &[u8]) -> u16 {
        let labels = self.machine.labels(state, self.asked);
        if !labels.has(Labels::UNKNOWN) {
            return labels.0 as u16;
        }
        // One that cannot be evaluated does not hold.
        let each = (0..u16::BITS as usize).map(Labels::proposition).filter(|label| self.asked.has(*label));
        each.map(|label| self.machine.labels(state, label) & label).fold(0, |letter, label| letter | label.0 as u16)
    }
}
