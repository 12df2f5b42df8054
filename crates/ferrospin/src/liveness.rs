//! Properties that need a search for cycles: `ltl` blocks and formulas, never claims, acceptance, progress.
//!
//! A formula is turned into a claim that accepts the runs on which it fails; a violation is a cycle through an accepting
//! state, or, for a hand-written claim, also its end. [`choice`] says which search looks for it; [`confirm`] checks
//! what was found. A run that never leaves an `atomic` is no cycle of stored states: where one is met, the naive search
//! with the whole product in memory has the last word.

mod choice;
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
use crate::memory;
use crate::prepare::{Notices, Prepared, prepare};
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport, Verdict, Violation};
use crate::run::Runnable;
use crate::safety;
use crate::searching::{Searched, Searching, multiplied};
use crate::self_check::SelfCheck;
use crate::verify::{self, Closing, Emptiness, Engine, Goals, Options, Proviso, Refusal, Store as StoreChoice};
use crate::watch::Watch;
use choice::{ClaimGraph, Facts, automaton, choose};
use confirm::{Claimed, confirm, confirm_prefix, end_of};
use ferrospin_interp::Interp;
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{Formula, Formulas, Labels, Node, Op, Stuttering, stuttering};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Expr, Model, ProcessId, ProcessKind};
use ferrospin_model::observer::ClaimObserver;
use ferrospin_search::BoxMachine;
use ferrospin_search::automaton::PropertyAutomaton;
use ferrospin_search::cycles::{self, Lasso, Wanted};
use ferrospin_search::emptiness::product::{self, Goal};
use ferrospin_search::emptiness::{Stopped, Verdict as Found};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_source::Span;
use ferrospin_system::{NO_EDGE, NO_PROCESS};
use reduced::Reduced;
use std::sync::Arc;

/// What is known about a property, and the run that violates it.
pub(crate) struct Answer {
    pub(crate) report: PropertyReport,
    pub(crate) lasso: Option<Lasso>,
}

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

    /// Checks a formula as typed.
    fn typed(&self, options: &Options, name: &str) -> Result<Answer, Refusal> {
        let typed = self.formulas.iter().find(|t| &*t.property.name == name).expect("formulas were read before");
        let model = Arc::new(Model { uses: typed.uses, ..Model::clone(&self.runnable.model) });
        let mut answer = claimed(self.front, &model, options, name, &typed.property)?;
        if let Some(error) = &mut answer.report.error {
            // What was found of the formula itself has no place in the model.
            error.location = error.location.take().or_else(|| typed.location.clone());
        }
        Ok(answer)
    }
}

/// A formula about single states, as typed, over a model; a sentence says why it is none.
pub(crate) fn state_formula(front: &Front, runnable: &Runnable, text: &str) -> Result<Property, String> {
    let property = Typed::read(front, runnable, text).map_err(|refusal| refusal.why())?.property;
    match is_about_states(&property.formulas, property.formula) {
        true => Ok(property),
        false => Err(format!("`{text}` has temporal operators; a proposition is about one state")),
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
fn is_blind(property: &Property) -> bool {
    let mut formulas = property.formulas.clone();
    matches!(stuttering(&mut formulas, property.formula, &mut Labels::new()), Ok(Stuttering::Insensitive))
}

impl Question<'_> {
    /// What the property can tell apart. A run can stay without progress between two statements for ever, so that these
    /// must not become one where progress is asked for.
    fn notices(&self) -> Notices {
        if self.stutters && self.goal == Goal::Accepting { Notices::Changes } else { Notices::Steps }
    }

    fn product(&self, options: &Options) -> product::Options {
        product::Options {
            goal: self.goal,
            fair: options.fair,
            has_claim: self.claim.is_some(),
            claim_end: (self.kind == PropertyKind::Never || self.ends_early).then(|| FailureKind::ClaimEnd.number()),
        }
    }
}

/// Searches, checks what was found, and reports.
fn answer(front: &Front, model: &Arc<Model>, options: &Options, question: &Question<'_>) -> Result<Answer, Refusal> {
    let mut watch = Watch::start(options);
    let prepared = prepare(model, options.optimize, question.notices());
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
    let weak = graph.as_ref().is_some_and(|g| g.is_weak(model));
    // Every finite run can be continued fairly, so that fairness matters only where cycles can be violations.
    let drops_fairness = options.fair && graph.as_ref().is_some_and(|g| !g.accepts_cycles());
    let options = &Options { fair: options.fair && !drops_fairness, ..options.clone() };
    let parts = match &property {
        Some(property) => Some(property.parts()),
        None => graph.as_ref().and_then(|g| g.parts(model)),
    };
    if options.under.is_some() && options.fair {
        return Err(Refusal::Refused("`--under` leaves moves out, and fairness asks about every one".into()));
    }
    // A reduction that is too strong on purpose goes by its path.
    let alone = options.under.is_some() || options.proviso == Proviso::Weak;
    let threads = if alone { 1 } else { options.threads.get() };
    let facts = Facts { goal: question.goal, fair: options.fair, weak, threads };
    let algorithm = choose(options.emptiness, &facts)?;
    let setting = Setting {
        front,
        prepared: &prepared,
        options,
        question,
        maker: &Maker::new(observed.as_ref().unwrap_or(model), options, check),
        parts: parts.map(Arc::new),
        property,
        store: store(options),
        watch: &watch,
        threads,
        algorithm,
    };
    // The claim's end tells nothing about what it sees.
    let reduced = reduced::reduction(&prepared.model, options, question, algorithm, None);
    let mut answer = match options.under {
        Some(under) if reduced.reduction.is_some() => under::answer(&setting, under),
        None if reduced.reduction.is_some() && options.proviso == Proviso::Auto => match setting.scout()? {
            Some(near) => Ok(near),
            None => setting.search_once(reduced),
        },
        _ => setting.search_once(reduced),
    }?;
    if drops_fairness {
        answer.report.notes.push(NO_FAIRNESS.into());
    }
    Ok(answer)
}

/// What is said where fairness was asked for and left out.
const NO_FAIRNESS: &str =
    "fairness was left out: a safety property fails on a finite run, and every finite run can be continued fairly";

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

/// A question with all that a search for its answer needs.
struct Setting<'a> {
    front: &'a Front,
    prepared: &'a Prepared,
    options: &'a Options,
    question: &'a Question<'a>,
    maker: &'a Maker,
    parts: Option<Arc<product::Parts>>,
    /// The claim, where it only looks.
    property: Option<Arc<PropertyAutomaton>>,
    store: (StoreChoice, Option<String>),
    watch: &'a Watch,
    threads: usize,
    algorithm: Emptiness,
}

impl Setting<'_> {
    /// One search with the proviso that was asked for.
    fn search_once(&self, reduced: Reduced) -> Result<Answer, Refusal> {
        let asked = self.options.proviso;
        let weak = asked == Proviso::Weak && reduced.reduction.is_some();
        let unfit = reduced.reduction.is_some() && !matches!(asked, Proviso::Auto | Proviso::Strict | Proviso::Weak);
        let mut answer = self.search(reduced, weak)?;
        let report = &mut answer.report;
        if weak && report.verdict == Verdict::Holds {
            report.verdict = Verdict::Undecided;
            report.notes.push("no violation in this under-approximation: the weak proviso may lose cycles".into());
        }
        if unfit {
            report.notes.push(format!("proviso `{}` is for safety; cycles were searched with `strict`", asked.name()));
        }
        Ok(answer)
    }

    /// A short search with all moves: a violation that it finds is as good as any, and often found much sooner than by a
    /// reduced search, which goes depth first.
    fn scout(&self) -> Result<Option<Answer>, Refusal> {
        let states_max = self.options.scout;
        if states_max == 0 {
            return Ok(None);
        }
        let machine = || self.maker.machine();
        let searched = Searching { states_max, ..self.searching(&machine, None, false) }.run(self.algorithm);
        if !matches!(searched.outcome.verdict, Found::Cycle(_) | Found::End(_)) {
            return Ok(None);
        }
        let mut answer = self.finish(searched)?;
        answer.report.reduction = "none".into();
        answer.report.notes.push(format!("found among the first {states_max} states, before any reduction"));
        Ok(Some(answer))
    }

    /// Searches, with a reduction if there is one, and with the weak proviso if that is enough.
    fn search(&self, reduced: Reduced, weak: bool) -> Result<Answer, Refusal> {
        let name = reduced.reduction.as_ref().map_or("none", |_| reduced.selector.name());
        let machine = || self.maker.machine();
        let searched = self.searching(&machine, reduced.reduction, weak).run(self.algorithm);
        let mut answer = self.finish(searched)?;
        answer.report.reduction = name.into();
        answer.report.notes.extend(reduced.note);
        Ok(answer)
    }

    fn searching<'s>(
        &'s self,
        machine: &'s (dyn Fn() -> BoxMachine + Sync),
        reduction: Option<reduced::Sets>,
        weak: bool,
    ) -> Searching<'s> {
        Searching {
            machine,
            product: self.question.product(self.options),
            parts: self.parts.clone(),
            property: self.property.clone(),
            reduction,
            weak,
            store: self.store.0,
            watch: self.watch,
            states_max: u64::MAX,
            threads: self.threads,
        }
    }

    /// Checks what a search has found, and reports.
    fn finish(&self, searched: Searched) -> Result<Answer, Refusal> {
        let Setting { front, prepared, options, question, maker, watch, .. } = *self;
        let product = || multiplied(maker.machine(), self.property.as_ref());
        let mut answer =
            finish(front, prepared, options, question, searched, Executing { maker, product: &product }, watch)?;
        answer.report.store = self.store.0.name().into();
        answer.report.notes.extend(self.store.1.clone());
        Ok(answer)
    }
}

/// The store for a search, and what became of the wish for another one.
fn store(options: &Options) -> (StoreChoice, Option<String>) {
    match options.store {
        None => (StoreChoice::Exact, None),
        Some(fit @ (StoreChoice::Exact | StoreChoice::Tree | StoreChoice::Collapse)) => (fit, None),
        Some(unfit) => {
            let instead = if unfit == StoreChoice::Compact { StoreChoice::Tree } else { StoreChoice::Exact };
            let why = "a search for cycles reads states again by small numbers";
            let note = format!("{why}, so `{}` was used instead of `{}`", instead.name(), unfit.name());
            (instead, Some(note))
        }
    }
}

/// What a search was executed by, and its product made once more.
#[derive(Clone, Copy)]
struct Executing<'a> {
    maker: &'a Maker,
    product: &'a dyn Fn() -> BoxMachine,
}

/// Checks what a search has found, and reports.
fn finish(
    front: &Front,
    prepared: &Prepared,
    options: &Options,
    question: &Question<'_>,
    searched: Searched,
    Executing { maker, product }: Executing<'_>,
    watch: &Watch,
) -> Result<Answer, Refusal> {
    let mut report = PropertyReport::undecided(question.name, question.kind);
    report.notes.extend(maker.checked(front)?);
    report.engine = maker.name().into();
    report.search = searched.algorithm.name().into();
    report.threads = searched.threads as u64;
    let figures = searched.outcome.figures;
    report.states = Some(figures.states);
    report.states_matched = Some(figures.transitions.saturating_sub(figures.states));
    report.transitions = Some(figures.transitions);
    report.depth = Some(figures.depth);
    report.state_bytes = Some(figures.state_bytes);
    report.store_bytes_per_state = Some(searched.store_bytes as f64 / figures.states.max(1) as f64);
    report.omission_probability = Some(0.0);
    let (lasso, ends) = match searched.outcome.verdict {
        Found::Cycle(l) => (Some(Lasso { stem: l.stem.concat(), cycle: l.cycle.concat() }), false),
        Found::End(path) => (Some(Lasso { stem: path.concat(), cycle: Vec::new() }), true),
        Found::Empty if question.only_infinite && searched.outcome.cut.any() => {
            report.stopped = Some(NOT_INFINITE.into());
            (None, false)
        }
        Found::Empty if searched.outcome.cut.endless => {
            (beyond_atomic(options, question, product, watch, &mut report), false)
        }
        Found::Empty => {
            report.complete = true;
            report.verdict = Verdict::Holds;
            (None, false)
        }
        Found::Stopped(Stopped::Full) => {
            report.stopped = Some("the memory limit was reached".into());
            (None, false)
        }
        Found::Stopped(Stopped::Threads) => {
            report.stopped = Some(safety::NO_THREADS.into());
            (None, false)
        }
        Found::Stopped(_) => {
            report.stopped = Some(watch.why().unwrap_or("interrupted").into());
            (None, false)
        }
    };
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.memory_bytes = memory::peak_bytes().or(Some(searched.store_bytes + figures.beside_bytes));
    let mut plain = None;
    if let Some(mut lasso) = lasso {
        let has_claim = question.claim.is_some();
        let model = &prepared.model;
        let of = Claimed { model, goal: question.goal, fair: options.fair, property: question.property, has_claim };
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
            lasso.stem.truncate(lasso.stem.iter().rposition(|mv| mv.claim != NO_EDGE).unwrap_or(0));
        }
        let lasso = &lasso;
        report.verdict = Verdict::Violated;
        report.errors = 1;
        let lasso = plain.insert(prepared.plain_lasso(lasso));
        report.error = Some(violation(front, &prepared.plain, question, lasso, ends));
    }
    Ok(Answer { report, lasso: plain })
}

/// The naive search, which knows runs that never leave an `atomic`.
fn beyond_atomic(
    options: &Options,
    question: &Question<'_>,
    product: &dyn Fn() -> BoxMachine,
    watch: &Watch,
    report: &mut PropertyReport,
) -> Option<Lasso> {
    report
        .notes
        .push("some runs may never leave an `atomic`: the whole product was searched once more for them".into());
    let wanted = match question.goal {
        Goal::Accepting => Wanted::Accepting,
        Goal::NonProgress => Wanted::NonProgress,
    };
    let how = cycles::Options { fair: options.fair, has_claim: question.claim.is_some() };
    let outcome = cycles::search(&mut *product(), wanted, how, &mut |so_far| {
        // The graph keeps its edges: a rough 200 bytes a state beside the state itself.
        watch.go_on(&Progress {
            states: so_far.states,
            matched: so_far.transitions - so_far.states,
            depth: 0,
            memory_bytes: 2 * so_far.stored_bytes + 200 * so_far.states,
            ..Progress::default()
        })
    });
    report.complete = outcome.complete;
    match (&outcome.lasso, outcome.complete) {
        (None, true) => report.verdict = Verdict::Holds,
        (None, false) => report.stopped = Some(watch.why().unwrap_or("interrupted").into()),
        _ => {}
    }
    outcome.lasso
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
