//! What SPIN's verifier is asked: one search at a time, depth first, with a trail for every error.
//!
//! `check` answers for each property on its own. SPIN's verifier explores the product with one claim, and reports failed
//! assertions, invalid end states, the end of the claim and cycles alike. Here that is a search for safety, over the product
//! where there is a claim, and a search for cycles behind it where one was asked for. A product is searched without reduction,
//! and only if something fails without the claim, or the claim may end.

use crate::front::Front;
use crate::liveness::Asked;
use crate::report::{PropertyKind, PropertyReport, Verdict};
use crate::run::Runnable;
use crate::subject::Promela;
use crate::verify::{Goal, Goals, Options, Refusal, measured};
use ferrospin_check::run::Deviation;
use ferrospin_check::storage::Nowhere;
use ferrospin_check::subject::Task;
use ferrospin_check::trails;
use ferrospin_interp::{failure_code, failure_kind};
use ferrospin_lower::claim;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Model, ProcessId, ProcessKind};
use ferrospin_search::safety::{Fault, Outcome, Stopped, Violation};
use ferrospin_system::{Failure, NO_EDGE, NO_PROCESS};
use ferrospin_trace::Trail;
use ferrospin_trace::trail::Property;
use std::sync::Arc;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The claim that runs beside: the name of an `ltl` block or `never` claim.
    pub claim: Option<String>,
    /// Cycles to look for.
    pub cycles: Option<Cycles>,
    /// Every error gets a trail, which needs all paths: nothing is reduced or merged.
    pub every_error: bool,
}

/// Cycles to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cycles {
    Acceptance,
    NonProgress,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Something went wrong in a step.
    Failure(Failure),
    /// The claim has seen enough, whatever follows: the formula fails.
    FormulaFails,
    /// No process can move, and not all are at an end.
    InvalidEndState,
    /// A cycle.
    Cycle(Cycles),
}

/// An error with its trail.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What.
    pub found: Found,
    /// The run.
    pub trail: Trail,
}

/// What the searches gave.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The errors, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// How many there were.
    pub errors: u64,
    /// Why it ended before its end.
    pub stopped: Option<Ended>,
    /// The depth limit cut some paths.
    pub cut: bool,
    /// Distinct states.
    pub states: u64,
    /// Arrivals at known states.
    pub matched: u64,
    /// Steps inside `atomic`.
    pub atomic_steps: u64,
    /// The longest path.
    pub depth: u64,
    /// Bytes of the longest state.
    pub state_bytes: u64,
    /// Bytes that states take.
    pub store_bytes: u64,
    /// The most memory in use.
    pub memory_bytes: u64,
    /// Wall-clock seconds.
    pub elapsed_s: f64,
    /// For each edge, whether it was taken; empty where that is not known.
    pub taken: Vec<bool>,
}

/// Why a search ended before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// As many errors as asked for.
    Errors,
    /// No more memory.
    Memory,
    /// Time or a signal.
    Interrupted,
}

impl Answer {
    /// There was no time left to confirm an error.
    fn interrupted(&mut self) {
        self.errors = self.errors.saturating_sub(1);
        self.stopped = Some(Ended::Interrupted);
    }

    /// Adds the figures of a search.
    fn add(&mut self, report: &PropertyReport, outcome: Option<&Outcome>) {
        let figure = |n: Option<u64>| n.unwrap_or(0);
        // The figures of several searches are not added: those of the largest one are told.
        if figure(report.states) >= self.states {
            self.states = figure(report.states);
            self.matched = figure(report.states_matched);
            self.depth = figure(report.depth);
            self.state_bytes = figure(report.state_bytes);
            let each = report.store_bytes_per_state.unwrap_or(0.0);
            self.store_bytes = (each * self.states as f64) as u64;
            self.atomic_steps = outcome.map_or(self.atomic_steps, |o| o.atomic_steps);
        }
        self.memory_bytes = self.memory_bytes.max(figure(report.memory_bytes));
        self.elapsed_s += report.elapsed_s.unwrap_or(0.0);
        self.errors += report.errors;
        let ended = match outcome.map(|o| o.stopped) {
            Some(Some(Stopped::Depth)) => {
                self.cut = true;
                None
            }
            Some(Some(Stopped::Errors)) => Some(Ended::Errors),
            Some(Some(Stopped::Full)) => Some(Ended::Memory),
            Some(None) => None,
            _ => report.stopped.as_ref().map(
                |why| {
                    if why.contains("memory") { Ended::Memory } else { Ended::Interrupted }
                },
            ),
        };
        self.stopped = self.stopped.take().or(ended);
    }
}

/// Searches. The options choose store, limits and what counts; the order is depth first unless they say otherwise.
pub fn search(front: &Front, runnable: &Runnable, question: &Question, options: &Options) -> Result<Answer, Refusal> {
    if runnable.model.lacks_code() || front.embedded.is_err() {
        return Err(Refusal::Refused(crate::run::cannot_run(front)));
    }
    if !runnable.model.unmatched.is_empty() {
        return Err(Refusal::Refused(
            "memory that is tracked as `UnMatched` is searched by `ferrospin check` only".into(),
        ));
    }
    let mut options = match question.every_error {
        false => options.clone(),
        true => Options { partial_order: false, optimize: false, ..options.clone() },
    };
    // Trails are confirmed within the same limit.
    options.hooks.deadline = options.deadline();
    let mut answer = Answer::default();
    if let Some(cycles) = question.cycles {
        look_for_cycles(front, runnable, question, cycles, &options, &mut answer)?;
    }
    let open = match answer.stopped {
        None => true,
        Some(Ended::Errors) => options.errors_max.is_none_or(|n| n > answer.errors),
        Some(_) => false,
    };
    if open {
        answer.stopped = None;
        match &question.claim {
            None => safe(front, runnable, &options, &mut answer)?,
            Some(claim) => within(front, runnable, claim, question, &options, &mut answer)?,
        }
    }
    Ok(answer)
}

/// A search for safety without a claim.
fn safe(front: &Front, runnable: &Runnable, options: &Options, answer: &mut Answer) -> Result<(), Refusal> {
    let (report, outcome) = search_for(front, runnable, options)?;
    answer.add(&report, Some(&outcome));
    answer.taken = outcome.taken.clone();
    let exclusive =
        |f: &Fault| matches!(f, Fault::Failure(f) if matches!(failure_kind(f.code), FailureKind::Exclusive { .. }));
    for found in &outcome.violations {
        let claimed = runnable.with(Arc::new(runnable.model.with_claimed_ends()));
        tell(front, if exclusive(&found.fault) { &claimed } else { runnable }, found, false, options, answer)?;
    }
    Ok(())
}

/// A search for safety, of which nothing is kept.
fn search_for(front: &Front, runnable: &Runnable, options: &Options) -> Result<(PropertyReport, Outcome), Refusal> {
    let task = Task { options: &measured(options), storage: &Nowhere };
    Promela::new(front, runnable).search(&runnable.model, &task)
}

/// Confirms a violation and adds it. One that cannot be confirmed in time is none.
fn tell(
    front: &Front,
    runnable: &Runnable,
    found: &Violation,
    formula: bool,
    options: &Options,
    answer: &mut Answer,
) -> Result<(), Refusal> {
    let confirmed = trails::confirm(&Promela::new(front, runnable), found, &|| options.over().is_none());
    if let Err(Deviation::Limit) = confirmed {
        answer.interrupted();
        return Ok(());
    }
    let mut trail = confirmed.map_err(|why| Refusal::Unconfirmed { property: "safety".into(), why })?;
    trail.property = Some(Property { name: "safety".into(), kind: "safety".into() });
    let found = match found.fault {
        Fault::Failure(f) if failure_kind(f.code) == FailureKind::ClaimEnd && formula => Found::FormulaFails,
        Fault::Failure(f) => Found::Failure(f),
        Fault::InvalidEndState => Found::InvalidEndState,
    };
    answer.findings.push(Finding { found, trail });
    Ok(())
}

/// A model with one of its claims beside it, whether that is a formula, and whether the claim may end.
fn product(runnable: &Runnable, name: &str) -> Result<(Model, bool, bool), Refusal> {
    let ends = |model: &Model, claim: ProcessId| {
        let own = |e: &&ferrospin_model::ir::Edge| model.location(e.from).process == claim;
        let leaves = |e: &ferrospin_model::ir::Edge| {
            matches!(e.action, ferrospin_model::ir::Action::End | ferrospin_model::ir::Action::Assert(_))
        };
        model.edges.iter().filter(own).any(leaves)
    };
    if let Some(property) = runnable.properties().iter().find(|p| &*p.name == name) {
        let (model, claim) = claim::add(&runnable.model, property)
            .map_err(|why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}")))?;
        let model = model.with_claim(claim);
        let early = claim::ending_early(&model, claim);
        let may_end = early.is_some();
        return Ok((early.unwrap_or(model), true, may_end));
    }
    let is_claim = |p: &ferrospin_model::ir::Process| p.kind == ProcessKind::Never && &*p.name == name;
    let claim = runnable.model.processes.iter().position(is_claim).map(|i| ProcessId(i as u32));
    let claim = claim.ok_or_else(|| Refusal::Refused(format!("cannot find claim '{name}'")))?;
    let model = runnable.model.with_claim(claim);
    let may_end = ends(&model, claim);
    Ok((model, false, may_end))
}

/// A search for safety in the scope of a claim.
fn within(
    front: &Front,
    runnable: &Runnable,
    claim: &str,
    question: &Question,
    options: &Options,
    answer: &mut Answer,
) -> Result<(), Refusal> {
    let (model, formula, may_end) = product(runnable, claim)?;
    // What never fails without the claim does not fail beside it either.
    let alone = Options { ignore_end_states: true, errors_max: Some(1), ..options.clone() };
    let (report, outcome) = search_for(front, runnable, &alone)?;
    let settled = report.verdict == Verdict::Holds && (!may_end || question.cycles.is_some());
    if settled {
        answer.add(&report, Some(&outcome));
        answer.taken = outcome.taken;
        return Ok(());
    }
    let plain = Options { partial_order: false, optimize: false, ..options.clone() };
    let both = runnable.with(Arc::new(model));
    let (report, outcome) = search_for(front, &both, &plain)?;
    answer.add(&report, Some(&outcome));
    answer.taken = outcome.taken.clone();
    outcome.violations.iter().try_for_each(|found| tell(front, &both, found, formula, options, answer))
}

/// A search for cycles.
fn look_for_cycles(
    front: &Front,
    runnable: &Runnable,
    question: &Question,
    cycles: Cycles,
    options: &Options,
    answer: &mut Answer,
) -> Result<(), Refusal> {
    // A search for cycles keeps states by number, and looks at paths of any length.
    let mut options = Options { store: None, search: None, optimize: true, ..options.clone() };
    options.limits.depth_max = None;
    let (name, kind, goal) = match (&question.claim, cycles) {
        (_, Cycles::NonProgress) => ("progress".to_string(), PropertyKind::Progress, Goal::Progress),
        (None, Cycles::Acceptance) => ("acceptance".to_string(), PropertyKind::Acceptance, Goal::Acceptance),
        (Some(name), Cycles::Acceptance) => (name.clone(), PropertyKind::Ltl, Goal::Ltl(name.clone())),
    };
    options.goals = Goals::Only(vec![goal]);
    let options = measured(&options);
    let asked = Asked::read(front, runnable, &options)?;
    let mut found = asked.check(&options, &name, kind)?;
    answer.add(&found.report, None);
    answer.stopped = answer.stopped.take().or((found.report.errors > 0).then_some(Ended::Errors));
    let Some(lasso) = found.lasso.take() else { return Ok(()) };
    let trail = trails::trail_of(
        &Promela::new(front, runnable),
        &ferrospin_check::subject::Finding::Lasso(lasso),
        &found.report,
        &|| options.over().is_none(),
    );
    let trail = match trail {
        Err(Refusal::Unconfirmed { why: Deviation::Limit, .. }) => {
            answer.interrupted();
            return Ok(());
        }
        trail => trail?,
    };
    let what = match found.report.error.as_ref() {
        Some(e) if e.message.starts_with("the formula fails, whatever") => Found::FormulaFails,
        Some(e) if e.kind == crate::report::ErrorKind::Runtime => {
            Found::Failure(Failure { code: failure_code(FailureKind::ClaimEnd), process: NO_PROCESS, edge: NO_EDGE })
        }
        _ => Found::Cycle(cycles),
    };
    answer.findings.push(Finding { found: what, trail });
    Ok(())
}
