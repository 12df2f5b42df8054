//! Properties that need a search for cycles: `ltl` blocks and formulas, never claims, acceptance, progress.
//!
//! A formula is turned into a claim that accepts the runs on which it fails; a violation is a cycle through an accepting
//! state, or, for a hand-written claim, also its end. Here such questions become what [`ferrospin_check::cycles`] looks for, which
//! searches and reports; [`confirm`] checks what was found.

mod claim_graph;
mod closing;
mod confirm;
mod device;
mod hoa;
mod reduced;
mod testing;
mod under;

use crate::executors::Maker;
use crate::formula::Typed;
use crate::front::Front;
use crate::prepare::{Notices, Prepared, prepare};
use crate::report::{ErrorKind, Location, PropertyKind, Violation};
use crate::run::Runnable;
use crate::self_check::SelfCheck;
use crate::verify::{self, Closing, Emptiness, Engine, Goals, Options, Refusal};
use crate::watch::Watch;
use claim_graph::{ClaimGraph, automaton};
pub(crate) use confirm::NoViolation;
use confirm::{Claimed, confirm, confirm_prefix, end_of};
pub(crate) use ferrospin_check::cycles::Answer;
use ferrospin_check::cycles::{Counterexample, CycleCheck, CycleSystem, Reduced, Sought};
use ferrospin_interp::Interp;
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{Formula, Formulas, Labels, Node, Op, Stuttering, stuttering};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Expr, Model, ProcessId, ProcessKind, Uses};
use ferrospin_model::observer::ClaimObserver;
use ferrospin_model::passes::Passes;
use ferrospin_search::BoxMachine;
use ferrospin_search::cycles::Lasso;
use ferrospin_search::emptiness::product::Goal;
use ferrospin_source::Span;
use ferrospin_system::{Move, NO_EDGE, NO_PROCESS};
use std::sync::Arc;
use thiserror::Error;

/// A model, and what is asked about it beyond what it states itself.
pub(crate) struct Asked<'a> {
    front: &'a Front,
    runnable: &'a Runnable,
    /// Formulas as typed.
    formulas: Vec<Typed>,
}

impl<'a> Asked<'a> {
    /// Reads the formulas that were typed.
    pub(crate) fn read(front: &'a Front, runnable: &'a Runnable, options: &Options) -> Result<Self, Refusal> {
        let mut asked = Asked { front, runnable, formulas: Vec::new() };
        let Goals::Only(goals) = &options.goals else { return Ok(asked) };
        for goal in goals {
            if let verify::Goal::Ltl(name) = goal
                && !name.ends_with(".hoa")
                && asked.block(name).is_none()
                && asked.claim(name).is_none()
            {
                asked.formulas.push(Typed::read(front, runnable, name)?);
            }
        }
        Ok(asked)
    }

    /// The `ltl` block of a name.
    fn block(&self, name: &str) -> Option<&'a Property> {
        self.runnable.properties().iter().find(|p| &*p.name == name)
    }

    /// The `never` claim of a name.
    fn claim(&self, name: &str) -> Option<ProcessId> {
        let is_claim = |p: &ferrospin_model::ir::Process| p.kind == ProcessKind::Never && &*p.name == name;
        self.runnable.model.processes.iter().position(is_claim).map(|claim| ProcessId(claim as u32))
    }

    /// Checks one property.
    pub(crate) fn check(&self, options: &Options, name: &str, kind: PropertyKind) -> Result<Answer, Refusal> {
        let (front, model) = (self.front, &self.runnable.model);
        let question = |goal| Question {
            name,
            kind,
            goal,
            claim: None,
            property: None,
            stutters: true,
            ends_early: false,
            only_infinite: false,
        };
        match kind {
            PropertyKind::Ltl if name.ends_with(".hoa") => hoa::check(front, self.runnable, options, name),
            PropertyKind::Ltl => match (self.block(name), self.claim(name)) {
                (Some(property), _) => claimed(front, model, options, name, property),
                (None, Some(_)) => self.check(options, name, PropertyKind::Never),
                (None, None) => self.typed(options, name),
            },
            PropertyKind::Never => {
                let claim = self.claim(name).expect("the claim is in the model");
                if options.stutter_close != Closing::Off {
                    let subject = closing::Subject::claim(model, claim);
                    let off = Options { stutter_close: Closing::Off, ..options.clone() };
                    let original = || self.check(&off, name, kind);
                    return closing::check(front, model, options, (name, kind), subject, &original);
                }
                let question = Question { claim: Some(claim), stutters: false, ..question(Goal::Accepting) };
                answer(front, &Arc::new(model.with_claim(claim)), options, &question)
            }
            PropertyKind::Acceptance => answer(front, model, options, &question(Goal::Accepting)),
            PropertyKind::Progress => answer(front, model, options, &question(Goal::NonProgress)),
            PropertyKind::Safety => unreachable!("safety needs no cycles"),
        }
    }

    fn typed_formula(&self, name: &str) -> Option<&Typed> {
        self.formulas.iter().find(|t| &*t.property.name == name)
    }

    /// Where a formula as typed begins.
    pub(crate) fn place(&self, name: &str) -> Option<Location> {
        self.typed_formula(name).and_then(|typed| typed.location.clone())
    }

    /// A formula by its name, as a block or as typed, with what the model and it make use of.
    pub(crate) fn formula(&self, name: &str) -> Option<(&Property, Uses)> {
        let uses = self.runnable.model.uses;
        self.block(name).map(|p| (p, uses)).or_else(|| self.typed_formula(name).map(|t| (&t.property, t.uses)))
    }

    /// Checks another formula over the propositions of one.
    pub(crate) fn check_instead(
        &self,
        options: &Options,
        name: &str,
        about: &Property,
    ) -> Option<Result<Answer, Refusal>> {
        let (_, uses) = self.formula(name)?;
        let model = Arc::new(Model { uses, ..Model::clone(&self.runnable.model) });
        Some(claimed(self.front, &model, options, name, about))
    }

    /// Checks a formula as typed.
    fn typed(&self, options: &Options, name: &str) -> Result<Answer, Refusal> {
        let typed = self.typed_formula(name).expect("formulas were read before");
        let model = Arc::new(Model { uses: typed.uses, ..Model::clone(&self.runnable.model) });
        let mut answer = claimed(self.front, &model, options, name, &typed.property)?;
        if let Some(error) = &mut answer.report.error {
            // What was found of the formula itself has no place in the model.
            error.location = error.location.take().or_else(|| typed.location.clone());
        }
        Ok(answer)
    }
}

/// Why a text is no formula about single states.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum NoStateFormula {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Refusal),
    /// It is a formula about runs.
    #[error("`{0}` has temporal operators; a proposition is about one state")]
    Temporal(String),
}

/// A formula about single states, as typed, over a model.
pub(crate) fn state_formula(front: &Front, runnable: &Runnable, text: &str) -> Result<Property, NoStateFormula> {
    let property = Typed::read(front, runnable, text)?.property;
    match is_about_states(&property.formulas, property.formula) {
        true => Ok(property),
        false => Err(NoStateFormula::Temporal(text.into())),
    }
}

fn is_about_states(formulas: &Formulas, f: Formula) -> bool {
    matches!(
        formulas.op(f),
        Op::True | Op::False | Op::Atom | Op::Not | Op::And | Op::Or | Op::Implies | Op::Iff | Op::Xor
    ) && formulas.operands(f).iter().all(|f| is_about_states(formulas, *f))
}

/// Whether a formula about single states holds in one.
pub(crate) fn holds(machine: &mut Interp, property: &Property, state: &[u8]) -> Result<bool, FailureKind> {
    fn value(machine: &mut Interp, p: &Property, f: Formula, state: &[u8]) -> Result<bool, FailureKind> {
        let mut of = |f: Formula| value(machine, p, f, state);
        Ok(match p.formulas.node(f) {
            Node::True => true,
            Node::False => false,
            Node::Atom(atom) => return machine.holds(state, &p.atoms[atom.0 as usize], false),
            Node::Not(f) => !of(f)?,
            Node::And(list) => {
                for f in list {
                    if !of(*f)? {
                        return Ok(false);
                    }
                }
                true
            }
            Node::Or(list) => {
                for f in list {
                    if of(*f)? {
                        return Ok(true);
                    }
                }
                false
            }
            Node::Implies(f, g) => !of(f)? || of(g)?,
            Node::Iff(f, g) => of(f)? == of(g)?,
            Node::Xor(f, g) => of(f)? != of(g)?,
            _ => unreachable!("the formula is about single states"),
        })
    }
    value(machine, property, property.formula, state)
}

fn claimed(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    property: &Property,
) -> Result<Answer, Refusal> {
    let stutters = is_blind(property);
    if options.stutter_close != Closing::Off && !stutters {
        let subject = closing::Subject::formula(property);
        let off = Options { stutter_close: Closing::Off, ..options.clone() };
        let original = || claimed(front, model, &off, name, property);
        return closing::check(front, model, options, (name, PropertyKind::Ltl), subject, &original);
    }
    if options.emptiness == Emptiness::Testing {
        return testing::check(front, model, options, name, property);
    }
    let (model, claim) = claim::add(model, property)
        .map_err(|why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}")))?;
    let question = Question {
        name,
        kind: PropertyKind::Ltl,
        goal: Goal::Accepting,
        claim: Some(claim),
        property: Some(property),
        stutters,
        ends_early: true,
        only_infinite: false,
    };
    let model = Arc::new(model.with_claim(claim));
    match options.engine {
        Engine::Gpu | Engine::Auto => device::check(front, &model, options, &question),
        Engine::Native | Engine::Interp => answer(front, &model, options, &question),
    }
}

/// Runs a stem behind which a formula fails, whatever follows, and evaluates the formula there.
pub(crate) fn confirm_stem(model: &Model, property: &Property, stem: &[Move]) -> Result<(), NoViolation> {
    let model = &Arc::new(model.clone());
    let of = Claimed { model, goal: Goal::Accepting, fair: false, property: Some(property), has_claim: false };
    confirm::confirm_state(stem, &of)
}

/// What is asked of a model, whose claim runs beside if there is one.
struct Question<'a> {
    name: &'a str,
    kind: PropertyKind,
    goal: Goal,
    claim: Option<ProcessId>,
    property: Option<&'a Property>,
    /// Repeating a state makes no difference to it. A claim as written may count steps, and so may a formula with `X`.
    stutters: bool,
    /// A run that is a violation whatever follows is told only so far.
    ends_early: bool,
    /// It says nothing about runs that end in a failure or never leave an `atomic`: where there are such runs, and no other
    /// violates it, the answer is [`NOT_INFINITE`].
    only_infinite: bool,
}

/// Why a search has no answer that is about infinite runs only.
const NOT_INFINITE: &str = "some runs fail or never leave an `atomic`";

/// Whether it makes no difference to a formula how often a state is repeated.
pub(crate) fn is_blind(property: &Property) -> bool {
    let mut formulas = property.formulas.clone();
    matches!(stuttering(&mut formulas, property.formula, &mut Labels::new()), Ok(Stuttering::Insensitive))
}

impl Question<'_> {
    /// What the property can tell apart. A run can stay without progress between two statements for ever, so that these
    /// must not become one where progress is asked for.
    fn notices(&self) -> Notices {
        if self.stutters && self.goal == Goal::Accepting { Notices::Changes } else { Notices::Steps }
    }

    /// What a search looks for, where nothing is known of the claim.
    fn sought(&self) -> Sought<'_> {
        Sought {
            name: self.name,
            kind: self.kind,
            goal: self.goal,
            has_property: self.claim.is_some(),
            property_end: (self.kind == PropertyKind::Never || self.ends_early).then(|| FailureKind::ClaimEnd.number()),
            property: None,
            parts: None,
            weak: false,
            accepts_cycles: true,
            only_infinite: self.only_infinite.then_some(NOT_INFINITE),
        }
    }
}

/// Searches, checks what was found, and reports.
fn answer(front: &Front, model: &Arc<Model>, options: &Options, question: &Question<'_>) -> Result<Answer, Refusal> {
    let (found, is_plain) = with_search(front, model, options, question, |check, graphs| {
        let found = match options.under {
            Some(under) if graphs.reduction(check.options(), check.algorithm()).reduction.is_some() => {
                check.told(under::answer(check, graphs, under)?)
            }
            _ => check.run()?,
        };
        Ok((found, graphs.prepared.passes == Passes::default()))
    })?;
    if is_plain || found.lasso.as_ref().is_none_or(|lasso| lasso.cycle.is_empty()) || options.under.is_some() {
        return Ok(found);
    }
    // Merged steps are several for people, and values that are reset may make the first round differ from all others.
    let plain = Options { optimize: false, self_check: None, emptiness: Emptiness::Auto, ..options.clone() };
    with_search(front, model, &plain, question, |check, _| check.shorten(found))
}

/// Prepares a search, and does something with it.
fn with_search<R>(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    question: &Question<'_>,
    with: impl FnOnce(&CycleCheck<'_>, &Graphs<'_>) -> Result<R, Refusal>,
) -> Result<R, Refusal> {
    let mut watch = Watch::start(options);
    let prepared = prepare(model, options, question.notices());
    let shorter = question.claim.filter(|_| question.ends_early).and_then(|c| claim::ending_early(&prepared.model, c));
    let shorter = shorter.map(Arc::new);
    let model = shorter.as_ref().unwrap_or(&prepared.model);
    let graph = question.claim.and_then(|c| ClaimGraph::new(model, c));
    // A claim that only looks is an automaton over labels; others run beside the processes.
    let observer = graph.as_ref().and_then(|_| ClaimObserver::new(model));
    let property = observer.as_ref().map(|o| Arc::new(automaton(model, o)));
    let observed = observer.as_ref().map(|o| Arc::new(o.observed(model)));
    let check = self_check(&prepared, options, question, observer.map(|o| o.propositions));
    watch.stop_with(check.as_ref().map(|check| check.told(front)));
    let parts = match &property {
        Some(property) => Some(property.parts()),
        None => graph.as_ref().and_then(|g| g.parts(model)),
    };
    let sought = Sought {
        property,
        parts: parts.map(Arc::new),
        weak: graph.as_ref().is_some_and(|g| g.is_weak(model)),
        accepts_cycles: graph.as_ref().is_none_or(ClaimGraph::accepts_cycles),
        ..question.sought()
    };
    let maker = &Maker::new(observed.as_ref().unwrap_or(model), options, check);
    let graphs = Graphs { front, prepared: &prepared, question, maker };
    let check = CycleCheck::new(sought, &graphs, options, &watch)?;
    with(&check, &graphs)
}

/// The self-check of a search, where one is asked for. A claim that ends early does so on the plain graphs as well, and the
/// same propositions are told there.
fn self_check(
    prepared: &Prepared,
    options: &Options,
    question: &Question<'_>,
    propositions: Option<Vec<Expr>>,
) -> Option<Arc<SelfCheck>> {
    let claim = question.claim.filter(|_| question.ends_early);
    let searched = move |mut prepared: Prepared| {
        for model in [&mut prepared.model, &mut prepared.plain] {
            if let Some(shorter) = claim.and_then(|c| claim::ending_early(model, c)) {
                *model = Arc::new(shorter);
            }
            if let Some(propositions) = &propositions {
                *model = Arc::new(model.with_propositions(propositions.iter().cloned()));
            }
        }
        prepared
    };
    let (first, plain) = (prepared.clone(), prepared.plain.clone());
    options.self_check.map(|share| {
        let prepared = searched(first);
        SelfCheck::new(share, prepared, move |passes| searched(Prepared::by(&plain, passes)))
    })
}

/// A model behind passes, about which a question is asked.
struct Graphs<'a> {
    front: &'a Front,
    prepared: &'a Prepared,
    question: &'a Question<'a>,
    maker: &'a Maker,
}

impl CycleSystem for Graphs<'_> {
    fn engine(&self) -> &'static str {
        self.maker.name()
    }

    fn machine(&self) -> BoxMachine {
        self.maker.machine()
    }

    fn self_check(&self) -> Option<Arc<dyn ferrospin_check::subject::SelfCheck>> {
        self.maker.check().map(|check| check.told(self.front) as _)
    }

    /// The claim's end tells nothing about what it sees.
    fn reduction(&self, options: &Options, algorithm: Emptiness) -> Reduced {
        reduced::reduction(&self.prepared.model, options, self.question, algorithm, None)
    }

    fn judge(&self, Counterexample { mut lasso, ends, fair }: Counterexample) -> Result<(Lasso, Violation), Refusal> {
        let Graphs { front, prepared, question, .. } = *self;
        let (model, has_claim) = (&prepared.model, question.claim.is_some());
        let of = Claimed { model, goal: question.goal, fair, property: question.property, has_claim };
        let ends = ends.then(|| end_of(&lasso.stem, model));
        let confirmed = match ends {
            None => confirm(&lasso, &of),
            Some(FailureKind::ClaimEnd) if question.ends_early => confirm_prefix(&lasso.stem, &of),
            Some(_) => Ok(()),
        };
        confirmed.map_err(|why| {
            let name = question.name;
            Refusal::Refused(format!("internal error: the counterexample of `{name}` is none: {why}"))
        })?;
        if ends == Some(FailureKind::ClaimEnd) && question.ends_early {
            // The claim has seen enough before the last step.
            lasso.stem.truncate(lasso.stem.iter().rposition(|mv| mv.property != NO_EDGE).unwrap_or(0));
        }
        let lasso = prepared.plain_lasso(&lasso);
        let violation = violation(front, &prepared.plain, question, &lasso, ends);
        Ok((lasso, violation))
    }

    fn indivisible(&self) -> &'static str {
        "an `atomic`"
    }
}

fn violation(
    front: &Front,
    model: &Model,
    question: &Question<'_>,
    lasso: &Lasso,
    ends: Option<FailureKind>,
) -> Violation {
    let place = |span: Span| {
        front.map.position(span).map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column })
    };
    let location = question.claim.and_then(|c| place(model.process(c).span));
    let depth = Some(lasso.stem.len() as u64);
    if ends == Some(FailureKind::ClaimEnd) && question.ends_early {
        let message = "the formula fails, whatever follows".into();
        return Violation { kind: ErrorKind::AcceptanceCycle, message, location, depth };
    }
    if let Some(kind) = ends {
        let message = match (kind, question.kind) {
            (FailureKind::ClaimEnd, _) => kind.to_string(),
            (_, PropertyKind::Ltl) => {
                format!("the formula cannot be evaluated: {}", crate::run::kind_text(model, kind))
            }
            _ => format!("the claim cannot be evaluated: {}", crate::run::kind_text(model, kind)),
        };
        return Violation { kind: ErrorKind::Runtime, message, location, depth };
    }
    let (kind, what) = match question.goal {
        Goal::NonProgress => (ErrorKind::NonProgressCycle, "non-progress cycle"),
        Goal::Accepting if question.kind == PropertyKind::Ltl => {
            (ErrorKind::AcceptanceCycle, "the formula fails on a run")
        }
        Goal::Accepting => (ErrorKind::AcceptanceCycle, "acceptance cycle"),
    };
    let message = match lasso.cycle.iter().filter(|m| m.process != NO_PROCESS).count() {
        0 => format!("{what} that stops"),
        n => format!("{what}: a cycle of {n} {}", if n == 1 { "step" } else { "steps" }),
    };
    Violation { kind, message, location, depth }
}
