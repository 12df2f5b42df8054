//! Claims closed under stuttering: `--stutter-close` (Holzmann and Kupferman, "Not checking for closure under stuttering").
//!
//! A claim that may count steps keeps reduction and statement merging from being used. Its closure, which accepts all
//! words that differ from accepted ones in repetitions only, does not. If no run is in the closure, none violates the
//! claim. If one is, the claim itself is asked about it, letter by letter as the plain model makes them: it accepts, and
//! the run is a counterexample; or it rejects, and has been caught in telling two words apart that differ in repetitions
//! only. Then nothing is known of the model, and the claim is searched for once more as it is.

use super::confirm::word;
use super::{Answer, NOT_INFINITE, Question, answer};
use crate::front::Front;
use crate::report::{Closure, PropertyKind, Verdict};
use crate::verify::{Closing, Options, Refusal};
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{
    Atoms, Automaton, ClaimVerdict, Dialect, Edge as Step, Label, Labels, Lasso as Word, Rejection, StateId,
    StutterClosure, Target, TranslateError, degeneralise, print_word, rejection, stutter_close, translate,
};
use ferrospin_model::ir::{Action, Area, Binary, Expr, LocationId, Model, ProcessId, Unary};
use ferrospin_model::passes::walk::{self, Item};
use ferrospin_search::emptiness::product::Goal;
use ferrospin_source::Span;
use std::sync::Arc;
use thiserror::Error;

/// Words that are longer are not shown.
const LETTERS_SHOWN_MAX: usize = 12;

/// Why a claim cannot be closed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum NotClosed {
    #[error("`accept` labels of processes count as well")]
    ProcessesAccept,
    #[error("a step of it goes further inside `atomic`")]
    Atomic,
    #[error("it does more than look")]
    Acts,
    #[error("it leaves its own graph")]
    Leaves,
    #[error("it sees `timeout`, which every step may change")]
    Timeout,
    #[error("it sees who moves")]
    Movers,
    #[error("it has variables of its own")]
    Variables,
    #[error(transparent)]
    NoAutomaton(#[from] TranslateError),
}

/// What is closed.
pub(super) struct Subject {
    /// Its name, propositions and place; the formula too, where there is one.
    property: Property,
    /// Accepts the runs that are violations.
    automaton: Automaton,
    labels: Labels,
    /// The formula means something.
    is_formula: bool,
}

impl Subject {
    /// A formula.
    pub(super) fn formula(property: &Property) -> Result<Subject, NotClosed> {
        let (mut formulas, mut labels) = (property.formulas.clone(), Labels::new());
        let no = formulas.not(property.formula);
        let automaton = translate(&mut formulas, no, Target::Buchi, &mut labels)?;
        Ok(Subject { property: property.clone(), automaton, labels, is_formula: true })
    }

    /// An automaton over propositions.
    pub(super) fn automaton(property: &Property, automaton: Automaton, labels: Labels) -> Subject {
        Subject { property: property.clone(), automaton, labels, is_formula: false }
    }

    /// A claim of the model, or why it cannot be closed.
    pub(super) fn claim(model: &Model, claim: ProcessId) -> Result<Subject, NotClosed> {
        if model.locations.iter().any(|l| l.process != claim && l.accept) {
            return Err(NotClosed::ProcessesAccept);
        }
        let all = (0..model.locations.len() as u32).map(LocationId);
        let own: Vec<LocationId> = all.filter(|l| model.location(*l).process == claim).collect();
        let state = |l: LocationId| own.iter().position(|o| *o == l).map(|i| StateId(i as u32));
        let (mut atoms, mut labels) = (Vec::new(), Labels::new());
        let mut edges = Vec::new();
        for (i, l) in own.iter().enumerate() {
            let location = model.location(*l);
            let marks = u64::from(location.accept);
            let (mut out, mut before) = (Vec::new(), Label::FALSE);
            for e in location.edges.iter().map(|e| model.edge(*e)) {
                let label = match &e.action {
                    // The end of a claim is a violation, whatever follows.
                    Action::End => {
                        out.push(Step { target: StateId(i as u32), marks: 1, label: Label::TRUE });
                        continue;
                    }
                    _ if e.atomic || !e.then.is_empty() => {
                        return Err(NotClosed::Atomic);
                    }
                    Action::Guard(expr) => label(expr, &mut atoms, &mut labels),
                    Action::Skip => Label::TRUE,
                    Action::Else => labels.not(before),
                    _ => return Err(NotClosed::Acts),
                };
                before = labels.or(before, label);
                let target = state(e.to).ok_or(NotClosed::Leaves)?;
                if label != Label::FALSE {
                    out.push(Step { target, marks, label });
                }
            }
            edges.push(out);
        }
        let initial = state(model.process(claim).entry).expect("a claim begins at one of its locations");
        let mut automaton = Automaton { edges, initial, mark_count: 1, state_based: true };
        automaton.merge_edges(&mut labels);
        let process = model.process(claim);
        let property = Property {
            name: process.name.clone(),
            formulas: ferrospin_ltl::Formulas::new(),
            formula: ferrospin_ltl::Formulas::FALSE,
            atoms,
            texts: Vec::new(),
            span: process.span,
        };
        Ok(Subject { property, automaton, labels, is_formula: false })
    }

    /// Why the propositions do not fit a closed claim.
    fn unfit(&self) -> Option<NotClosed> {
        let mut why = None;
        for e in &self.property.atoms {
            walk::expr(e, &mut |item| match item {
                Item::Expr(Expr::Timeout) => why = Some(NotClosed::Timeout),
                Item::Expr(Expr::Last | Expr::Enabled(_) | Expr::PcValue(_) | Expr::Foreign) => {
                    why = Some(NotClosed::Movers);
                }
                Item::Read(p) if p.area == Area::Local => why = Some(NotClosed::Variables),
                _ => {}
            });
        }
        why
    }
}

/// An expression as a set of letters; what is not a Boolean operator becomes a proposition.
fn label(e: &Expr, atoms: &mut Vec<Expr>, labels: &mut Labels) -> Label {
    match e {
        Expr::Const(0) => Label::FALSE,
        Expr::Const(_) => Label::TRUE,
        Expr::Unary(Unary::Not, a) => {
            let a = label(a, atoms, labels);
            labels.not(a)
        }
        Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
            let (a, b) = (label(a, atoms, labels), label(b, atoms, labels));
            if *op == Binary::And { labels.and(a, b) } else { labels.or(a, b) }
        }
        _ => {
            let i = atoms.iter().position(|a| a == e).unwrap_or_else(|| {
                atoms.push(e.clone());
                atoms.len() - 1
            });
            labels.literal(ferrospin_ltl::AtomId(i as u32), true)
        }
    }
}

/// Checks a claim by its closure; `original` checks it as it is.
pub(super) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    (name, kind): (&str, PropertyKind),
    subject: Result<Subject, NotClosed>,
    original: &dyn Fn() -> Result<Answer, Refusal>,
) -> Result<Answer, Refusal> {
    let closed = subject.and_then(|s| s.unfit().map_or_else(|| Closed::new(model, s), Err));
    let mut closed = match closed {
        Ok(closed) => closed,
        Err(why) => {
            let why = format!("`{name}` cannot be closed under stuttering: {why}");
            return noted(original()?, why);
        }
    };
    let question = Question {
        name,
        kind,
        goal: Goal::Accepting,
        claim: Some(closed.claim),
        property: None,
        stutters: true,
        ends_early: false,
        only_infinite: true,
    };
    let mut found = answer(front, &closed.model, options, &question)?;
    found.report.notes.push(closed.sentence());
    found.report.closure = Some(Closure::Applied);
    if found.report.stopped.as_deref() == Some(NOT_INFINITE) {
        // The claim itself may see a violation before a failure, and what it does with one letter again and again is its own.
        return noted(original()?, format!("`{name}` was not closed under stuttering: {NOT_INFINITE}"));
    }
    let Some(lasso) = &found.lasso else { return Ok(found) };
    let letters = word(model, lasso, &closed.subject.property.atoms);
    let verdict = closed.closure.judge(Some(&letters), &closed.subject.labels);
    let property = &closed.subject.property;
    match verdict {
        ClaimVerdict::Sensitive(variant) => {
            let said = closed.sensitive(&letters, &variant);
            if options.stutter_close == Closing::Report {
                found.report.closure = Some(Closure::Sensitive);
                found.report.verdict = Verdict::Undecided;
                (found.report.errors, found.report.error, found.lasso) = (0, None, None);
                found.report.complete = false;
                found.report.stopped = Some("the claim is sensitive to stuttering".into());
                found.report.notes.extend(said);
                return Ok(found);
            }
            let mut again = original()?;
            again.report.notes.push(closed.sentence());
            again.report.notes.extend(said);
            again.report.closure = Some(Closure::Sensitive);
            Ok(again)
        }
        _ if closed.subject.is_formula && letters.satisfies(&property.formulas, property.formula) => {
            let why = format!("internal error: the counterexample of `{name}` is none: the formula holds on it");
            Err(Refusal::Refused(why))
        }
        _ => noted(found, "the claim itself accepts the run that was found".into()),
    }
}

fn noted(mut answer: Answer, note: String) -> Result<Answer, Refusal> {
    answer.report.notes.push(note);
    Ok(answer)
}

/// A closed claim beside the model.
struct Closed {
    subject: Subject,
    closure: StutterClosure,
    model: Arc<Model>,
    claim: ProcessId,
    /// States of the closed automaton.
    states: usize,
}

impl Closed {
    fn new(model: &Model, mut subject: Subject) -> Result<Closed, NotClosed> {
        let closure = StutterClosure::new(&subject.automaton, &subject.labels)?;
        let mut buchi = stutter_close(&subject.automaton, &mut subject.labels)?;
        if !(buchi.state_based || buchi.mark_count == 0) {
            buchi = degeneralise(&buchi, &mut subject.labels);
        }
        let (with, claim) = claim::add_automaton(model, &subject.property, &buchi, &mut subject.labels)?;
        let states = buchi.state_count();
        Ok(Closed { subject, closure, model: Arc::new(with.with_claim(claim)), claim, states })
    }

    fn sentence(&self) -> String {
        let (atoms, before) = (self.closure.atoms().len(), self.subject.automaton.state_count());
        format!("claim closed under stuttering: {atoms} propositions, {before} states, {} closed", self.states)
    }

    /// What the claim was caught in, in sentences.
    fn sensitive(&self, word: &Word, variant: &Word) -> Vec<String> {
        let mut names = Atoms::new();
        for i in 0..self.subject.property.atoms.len() {
            names.add(&format!("p{i}"), Span::NONE);
        }
        let spell = |w: &Word| match w.clone().shortened() {
            short if short.stem.len() + short.cycle.len() <= LETTERS_SHOWN_MAX => {
                print_word(&short, &names, Dialect::Project)
            }
            long => format!("a word of {} letters and {} that repeat", long.stem.len(), long.cycle.len()),
        };
        let stuck = match rejection(&self.subject.automaton, &self.subject.labels, word) {
            Some(Rejection::Stuck(at)) => format!(" at letter {}", at + 1),
            _ => String::new(),
        };
        vec![
            "the claim is sensitive to stuttering: its closure accepts a run that it rejects itself".into(),
            format!("it rejects{stuck} {}, and accepts {}", spell(word), spell(variant)),
        ]
    }
}
