//! Properties that need a search for cycles: `ltl` blocks and formulas, never claims, acceptance, progress.
//!
//! A formula is turned into a claim that accepts the runs on which it fails; a violation is a cycle through an accepting
//! state, or, for a hand-written claim, also its end. The search keeps the whole product in memory.

use crate::explore::machine;
use crate::files::DiskLoader;
use crate::front::{self, Front};
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport, Verdict, Violation};
use crate::verify::{Options, Refusal};
use ferrospin_model::claim::{self, Property};
use ferrospin_model::ir::{Model, ProcessId, ProcessKind};
use ferrospin_model::lower::lower_all;
use ferrospin_search::cycles::{self, Lasso, Wanted};
use ferrospin_search::naive;
use ferrospin_source::Span;
use ferrospin_system::NO_PROCESS;
use std::sync::Arc;
use std::time::Instant;

/// What is known about a property, and the run that violates it.
pub(crate) struct Answer {
    pub(crate) report: PropertyReport,
    pub(crate) lasso: Option<Lasso>,
}

/// Checks one property.
pub(crate) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    kind: PropertyKind,
) -> Result<Answer, Refusal> {
    match kind {
        PropertyKind::Ltl => formula(front, model, options, name),
        PropertyKind::Never => never(front, model, options, name),
        PropertyKind::Acceptance => Ok(search(front, model, options, name, kind, None, Wanted::Accepting)),
        PropertyKind::Progress => Ok(search(front, model, options, name, kind, None, Wanted::NonProgress)),
        PropertyKind::Safety => unreachable!("safety needs no cycles"),
    }
}

/// An `ltl` block by its name, or a formula as typed.
fn formula(front: &Front, model: &Arc<Model>, options: &Options, name: &str) -> Result<Answer, Refusal> {
    let of = |front: &Front| lower_all(&front.map, &front.reading.program, &front.reading.names).0.properties;
    if let Some(property) = of(front).iter().find(|p| &*p.name == name) {
        return claimed(front, model, options, name, property);
    }
    let again = with_formula(front, name)?;
    claimed(&again, model, options, name, of(&again).last().expect("the formula was added"))
}

/// The model read once more with a formula behind it, so that the model's macros can be used in it.
fn with_formula(front: &Front, formula: &str) -> Result<Front, Refusal> {
    let file = ferrospin_source::FileId(0);
    let text = format!("{}\nltl formula_of_the_command_line {{ {formula} }}\n", front.map.text(file));
    let options = front::Options { defines: front.defines.clone(), ..front::Options::default() };
    let again = front::read_text(&front.name, text, &options, &mut DiskLoader::default());
    if again.unreadable {
        let first = again.diagnostics.iter().find(|d| !d.lint).map_or(String::new(), |d| d.message.clone());
        return Err(Refusal::Refused(format!(
            "`{formula}` is neither the name of an ltl block nor a formula: {first}"
        )));
    }
    Ok(again)
}

fn claimed(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    property: &Property,
) -> Result<Answer, Refusal> {
    let (model, claim) = claim::add(model, property)
        .map_err(|why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}")))?;
    Ok(search(front, &Arc::new(model), options, name, PropertyKind::Ltl, Some(claim), Wanted::Accepting))
}

/// A claim of the model: it must not reach its end, nor pass accepting states again and again.
fn never(front: &Front, model: &Arc<Model>, options: &Options, name: &str) -> Result<Answer, Refusal> {
    let started = Instant::now();
    let is = |p: &ferrospin_model::ir::Process| p.kind == ProcessKind::Never && &*p.name == name;
    let claim = ProcessId(model.processes.iter().position(is).expect("the claim is in the model") as u32);
    let product = Arc::new(model.with_claim(claim));
    let wanted = naive::Options { has_claim: true, only_claim: true, ..naive::Options::default() };
    let (mut machine, engine) = machine(&product, options);
    let outcome = naive::search(&mut *machine, &wanted, product.edges.len(), &mut |so_far| {
        within(options, started, so_far.memory_bytes())
    });
    let Some(found) = outcome.violations.first() else {
        return Ok(search(front, model, options, name, PropertyKind::Never, Some(claim), Wanted::Accepting));
    };
    let mut report = PropertyReport::undecided(name, PropertyKind::Never);
    report.engine = engine.into();
    report.verdict = Verdict::Violated;
    report.errors = outcome.errors;
    report.states = Some(outcome.states);
    report.states_matched = Some(outcome.matched);
    report.transitions = Some(outcome.transitions());
    report.depth = Some(outcome.depth);
    report.elapsed_s = Some(started.elapsed().as_secs_f64());
    let message = match found.fault {
        naive::Fault::Failure(f) => f.kind.to_string(),
        naive::Fault::InvalidEndState => unreachable!("not looked for"),
    };
    report.error = Some(Violation {
        kind: ErrorKind::Runtime,
        message,
        location: place(front, model.process(claim).span),
        depth: Some(found.trail.len() as u64),
    });
    Ok(Answer { report, lasso: Some(Lasso { stem: found.trail.clone(), cycle: Vec::new() }) })
}

fn within(options: &Options, started: Instant, memory_bytes: u64) -> bool {
    options.limits.time_max.is_none_or(|limit| started.elapsed() < limit)
        && options.limits.memory_max_bytes.is_none_or(|limit| memory_bytes < limit)
}

fn place(front: &Front, span: Span) -> Option<Location> {
    front.map.position(span).map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column })
}

fn search(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    kind: PropertyKind,
    claim: Option<ProcessId>,
    wanted: Wanted,
) -> Answer {
    let started = Instant::now();
    let model = claim.map_or_else(|| model.clone(), |c| Arc::new(model.with_claim(c)));
    let (mut machine, engine) = machine(&model, options);
    // The graph keeps its edges: a rough 200 bytes a state beside the state itself.
    let memory = |o: &cycles::Outcome| 2 * o.stored_bytes + 200 * o.states;
    let how = cycles::Options { fair: options.fair, has_claim: claim.is_some() };
    let outcome = cycles::search(&mut *machine, wanted, how, &mut |so_far| within(options, started, memory(so_far)));
    let mut report = PropertyReport::undecided(name, kind);
    report.engine = engine.into();
    report.verdict = match (&outcome.lasso, outcome.complete) {
        (Some(_), _) => Verdict::Violated,
        (None, true) => Verdict::Holds,
        (None, false) => Verdict::Undecided,
    };
    report.complete = outcome.complete;
    report.errors = u64::from(outcome.lasso.is_some());
    report.states = Some(outcome.states);
    report.states_matched = Some(outcome.transitions - outcome.states);
    report.transitions = Some(outcome.transitions);
    report.state_bytes = Some(outcome.state_bytes as u64);
    report.elapsed_s = Some(started.elapsed().as_secs_f64());
    report.memory_bytes = Some(memory(&outcome));
    report.omission_probability = Some(0.0);
    report.error = outcome.lasso.as_ref().map(|lasso| {
        let (kind, what) = match wanted {
            Wanted::NonProgress => (ErrorKind::NonProgressCycle, "non-progress cycle"),
            Wanted::Accepting if kind == PropertyKind::Ltl => {
                (ErrorKind::AcceptanceCycle, "the formula fails on a run")
            }
            Wanted::Accepting => (ErrorKind::AcceptanceCycle, "acceptance cycle"),
        };
        let span = claim.map(|c| model.process(c).span);
        Violation {
            kind,
            message: match lasso.cycle.iter().filter(|m| m.process != NO_PROCESS).count() {
                0 => format!("{what} that stops"),
                n => format!("{what}: a cycle of {n} {}", if n == 1 { "step" } else { "steps" }),
            },
            location: span.and_then(|s| place(front, s)),
            depth: Some(lasso.stem.len() as u64),
        }
    });
    Answer { report, lasso: outcome.lasso }
}
