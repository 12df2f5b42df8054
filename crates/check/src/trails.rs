//! Counterexamples: confirmed, and replayed.
//!
//! A search hands over moves. [`confirm`] and [`confirm_lasso`] take them with the plain executor of the subject, and give a trail
//! only if the run is what was claimed. The moves must therefore be those of the subject itself; a search of a system that was made
//! smaller translates its moves first ([`crate::Executors::plain_violation`]).
//!
//! A run may have millions of steps: limits hold here, too. What they keep from being confirmed is no violation.
//!
//! A replay leaves property automata out: they watch and never act, so that the processes do the same without them.

use crate::explain::explanation;
use crate::options::Steps;
use crate::refusal::Refusal;
use crate::report::{PropertyReport, Verdict};
use crate::run::{self, Deviation, Run};
use crate::subject::{Finding, Identity, Subject, Task};
use ferrospin_search::cycles::Lasso;
use ferrospin_search::safety::{Fault, Violation};
use ferrospin_system::{Failure, Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::story::{self, Style};
use ferrospin_trace::trail::{self, Event, Property, Trail};
use serde::Serialize;
use thiserror::Error;

/// Longest value in the steps of a report; `replay` shows all of it.
const VALUE_SHOWN: usize = 60;

/// Steps between two looks at the limits.
const STEPS_PER_LOOK: usize = 256;
/// Steps from which on a trail is not kept when a limit has passed.
const STEPS_LONG: usize = 4096;

/// Confirms what was found, keeps its trail, and puts both into the report. `first` says whether no other trail was kept before.
pub fn attach(
    subject: &dyn Subject,
    task: &Task<'_>,
    found: &Finding,
    report: &mut PropertyReport,
    first: bool,
) -> Result<(), Refusal> {
    let name = report.name.clone();
    attach_as(subject, task, found, report, (&name, first))
}

/// The same with a trail that is kept under this name.
pub fn attach_as(
    subject: &dyn Subject,
    task: &Task<'_>,
    found: &Finding,
    report: &mut PropertyReport,
    (name, first): (&str, bool),
) -> Result<(), Refusal> {
    let trail = match trail_of(subject, found, report, &|| task.options.over().is_none()) {
        Err(Refusal::Unconfirmed { why: Deviation::Limit, .. }) => {
            let why = task.options.over().unwrap_or("it was stopped");
            let steps = match found {
                Finding::Violation(violation) => violation.trail.len(),
                Finding::Lasso(lasso) => lasso.stem.len() + lasso.cycle.len(),
            };
            report.notes.push(format!("a violation was found after {steps} steps; it could not be confirmed in time"));
            (report.verdict, report.complete) = (Verdict::Undecided, false);
            (report.errors, report.error, report.stopped) = (0, None, Some(why.into()));
            return Ok(());
        }
        trail => trail?,
    };
    let mut trail = trail;
    let why = explanation(subject, task, found, report, &mut trail);
    trail.explanation = Some(why.clone()).filter(|why| !why.is_empty());
    match task.options.over().filter(|_| trail.steps.len() > STEPS_LONG) {
        Some(why) => report.notes.push(format!("the trail of {} steps was not kept: {why}", trail.steps.len())),
        None => match task.storage.put_trail(&trail, name, first) {
            Some(Ok(name)) => report.trail = Some(name),
            Some(Err(why)) => report.notes.push(why.to_string()),
            None => {}
        },
    }
    // What a property automaton does alone is no step: the report counts what `replay` counts.
    if let Some(error) = &mut report.error {
        error.depth = Some(trail.loop_start.unwrap_or(trail.steps.len()) as u64);
    }
    report.explanation = trail.explanation.clone();
    report.story = Some(story::steps(&trail, style(task.options.telling.steps)));
    Ok(())
}

/// How a report shows the steps of a counterexample.
fn style(steps: Steps) -> Style {
    let short = Style { indent: "    ", value_max: VALUE_SHOWN, ..Style::default() };
    match steps {
        Steps::All => short,
        Steps::Changes => Style { only_changes: true, ..short },
        Steps::AtMost(steps_max) => Style { steps_max, ..short },
    }
}

/// The trail of what was found, which is confirmed thereby; `go_on` is asked now and then.
pub fn trail_of(
    subject: &dyn Subject,
    found: &Finding,
    report: &PropertyReport,
    go_on: &dyn Fn() -> bool,
) -> Result<Trail, Refusal> {
    let mut trail = match found {
        Finding::Violation(violation) => confirm(subject, violation, go_on),
        Finding::Lasso(lasso) => confirm_lasso(subject, lasso, go_on),
    }
    .map_err(|why| Refusal::Unconfirmed { property: report.name.clone(), why })?;
    trail.property = Some(Property { name: report.name.clone(), kind: word(&report.kind) });
    let place = |l: &crate::report::Location| trail::Place { file: l.file.clone(), line: l.line, column: l.column };
    match (&mut trail.violation, &report.error) {
        (Some(violation), Some(error)) => {
            violation.message = error.message.clone();
            violation.location = violation.location.take().or_else(|| error.location.as_ref().map(place));
        }
        (violation, Some(error)) => {
            *violation = Some(trail::Violation {
                kind: word(&error.kind),
                message: error.message.clone(),
                location: error.location.as_ref().map(place),
            });
        }
        _ => {}
    }
    Ok(trail)
}

/// The word of a kind in reports: a variant without fields is serialised as its name.
fn word(kind: &impl Serialize) -> String {
    struct Word<'a, T>(&'a T);
    impl<T: Serialize> std::fmt::Display for Word<'_, T> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.serialize(f)
        }
    }
    Word(kind).to_string()
}

/// Runs the moves of a violation and gives the trail, or says what the run does instead; `go_on` is asked now and then.
pub fn confirm(subject: &dyn Subject, found: &Violation, go_on: &dyn Fn() -> bool) -> Result<Trail, Deviation> {
    let mut run = match Run::about(subject, Some(&found.fault)) {
        Ok(run) => run,
        // Nothing can be run: the mistake is in the initial values.
        Err(f) if found.fault == Fault::Failure(f) => return Ok(stillborn(subject, &f)),
        Err(f) => return Err(no_start(subject, &f)),
    };
    let mut trail = run.trail();
    let mut last = None;
    for (i, mv) in found.trail.iter().enumerate() {
        if i % STEPS_PER_LOOK == 0 && !go_on() {
            return Err(Deviation::Limit);
        }
        if !run.moves().list.contains(mv) {
            return Err(Deviation::Step(i + 1));
        }
        let (step, failure) = run.take(mv, None);
        trail.steps.push(step);
        last = failure;
    }
    let told = run.tell(found);
    match found.fault {
        Fault::Failure(f) => {
            if last.is_none_or(|l| l.code != f.code) && !run.moves().failures.iter().any(|m| m.code == f.code) {
                return Err(Deviation::OtherEnd(told.message));
            }
        }
        Fault::InvalidEndState => {
            if !run.moves().list.is_empty() {
                return Err(Deviation::GoesOn);
            }
        }
    };
    let location = if found.fault == Fault::InvalidEndState { None } else { told.place };
    trail.violation = Some(trail::Violation { kind: told.category.into(), message: told.detail, location });
    run.finish(&mut trail);
    Ok(trail)
}

/// The same for a run that ends in a cycle. What only a property automaton does is left out of the trail.
pub fn confirm_lasso(subject: &dyn Subject, lasso: &Lasso, go_on: &dyn Fn() -> bool) -> Result<Trail, Deviation> {
    let mut run = Run::start(subject).map_err(|f| no_start(subject, &f))?;
    let mut trail = run.trail();
    let mut at_cycle = run.now().clone();
    for (i, mv) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        if i == lasso.stem.len() {
            let repeats = lasso.cycle.iter().any(|m| m.process != NO_PROCESS);
            trail.loop_start = repeats.then_some(trail.steps.len());
            at_cycle = run.now().clone();
        }
        if i % STEPS_PER_LOOK == 0 && !go_on() {
            return Err(Deviation::Limit);
        }
        if mv.process == NO_PROCESS {
            continue;
        }
        let mv = Move { property: NO_EDGE, stutter: false, ..*mv };
        if !run.moves().list.contains(&mv) {
            return Err(Deviation::Step(i + 1));
        }
        trail.steps.push(run.take(&mv, None).0);
    }
    if !lasso.cycle.is_empty() && run.now().state != at_cycle.state {
        return Err(Deviation::OpenCycle);
    }
    run.finish(&mut trail);
    Ok(trail)
}

fn no_start(subject: &dyn Subject, failure: &Failure) -> Deviation {
    let violation = Violation { fault: Fault::Failure(*failure), trail: Vec::new() };
    Deviation::NoStart(subject.reference(None).tell(&violation).message)
}

/// The trail of a subject that has no initial state.
fn stillborn(subject: &dyn Subject, failure: &Failure) -> Trail {
    let fault = Fault::Failure(*failure);
    let told = subject.reference(Some(&fault)).tell(&Violation { fault, trail: Vec::new() });
    let violation = trail::Violation {
        kind: told.category.into(),
        message: format!("{}, in an initial value", told.message),
        location: None,
    };
    Trail { violation: Some(violation), ..run::empty(&subject.identity()) }
}

/// Why a trail cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplayError {
    /// It belongs to something else.
    #[error(
        "the trail does not fit `{model}`: it was made from `{trail}`{options} by version {version}; {}",
        if *.is_same { "the model has changed since, or was read with other options" } else { "that is another model" }
    )]
    OtherModel {
        /// The model at hand.
        model: String,
        /// The model of the trail.
        trail: String,
        /// The options of the trail, with a word before them.
        options: String,
        /// The version of the program that wrote it.
        version: String,
        /// Whether both are called alike.
        is_same: bool,
    },
    /// The run does something else.
    #[error("{0}")]
    Deviates(#[from] Deviation),
}

/// Whether a trail fits a subject, by its fingerprint.
pub fn check_fit(identity: &Identity, trail: &Trail) -> Result<(), ReplayError> {
    if trail.fingerprint == identity.fingerprint {
        return Ok(());
    }
    let options = match trail.options.as_slice() {
        [] => String::new(),
        some => format!(" with {}", some.join(" ")),
    };
    Err(ReplayError::OtherModel {
        model: identity.name.clone(),
        trail: trail.model.clone(),
        options,
        version: trail.ferrospin.clone(),
        is_same: base(&trail.model) == base(&identity.name),
    })
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Replays a whole trail and gives it anew.
pub fn replay(subject: &dyn Subject, trail: &Trail) -> Result<Trail, ReplayError> {
    check_fit(&subject.identity(), trail)?;
    if trail.start.is_empty() && trail.violation.is_some() && trail.steps.is_empty() {
        return Ok(trail.clone());
    }
    let mut run = Run::start(subject).map_err(|f| no_start(subject, &f))?;
    run.allow_input();
    let mut again = Trail {
        property: trail.property.clone(),
        violation: trail.violation.clone(),
        explanation: trail.explanation.clone(),
        loop_start: trail.loop_start,
        ..run.trail()
    };
    for (i, stored) in trail.steps.iter().enumerate() {
        let Some((mv, input)) = system_move(stored) else {
            again.steps.push(stored.clone());
            continue;
        };
        if !run.moves().list.contains(&mv) {
            return Err(Deviation::Step(i + 1).into());
        }
        let (step, _) = run.take(&mv, input);
        // What a property automaton did, and which propositions changed, is known from the trail only.
        let mut step = trail::Step { mv: stored.mv, claim: stored.claim.clone(), ..step };
        step.events.extend(stored.events.iter().filter(|e| matches!(e, Event::Becomes { .. })).cloned());
        again.steps.push(step);
    }
    if trail.violation.as_ref().is_some_and(|v| v.kind == "invalid-end-state") && !run.moves().list.is_empty() {
        return Err(Deviation::GoesOn.into());
    }
    run.finish(&mut again);
    Ok(again)
}

/// The moves of a trail, and what was typed in, without what only a property automaton does.
pub fn system_moves(trail: &Trail) -> Vec<(Move, Option<i32>)> {
    trail.steps.iter().filter_map(system_move).collect()
}

fn system_move(step: &trail::Step) -> Option<(Move, Option<i32>)> {
    let mv: Move = step.mv.into();
    (mv.process != NO_PROCESS).then_some((Move { property: NO_EDGE, stutter: false, ..mv }, step.mv.input))
}
