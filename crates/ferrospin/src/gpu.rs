//! Searches on a graphics processor, and what becomes of models that do not go there.
//!
//! The device finds packed states; [`ferrospin_gpu`] tells the way to a violation as moves, and the caller confirms them
//! with the interpreter, as for every search. Whatever keeps a search from the device is a sentence in the report of a search
//! on the CPU.

use crate::executors::Maker;
use crate::front::Front;
use crate::liveness::NoViolation;
use crate::prepare::{Notices, Prepared, prepare};
use crate::report::{GpuFigures, PropertyKind, PropertyReport, Verdict};
use crate::safety::{self, Searched};
use crate::verify::{Engine, Hooks, Options, Refusal};
use crate::watch::Watch;
use ferrospin_check::subject::{Reference, Task};
use ferrospin_gpu::device::Device;
use ferrospin_gpu::driver::Driver;
use ferrospin_gpu::{Ended, Failed, Fault as On, Found, Reason, Sample, Spot};
use ferrospin_model::ir::Model;
use ferrospin_search::BoxMachine;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_search::safety::{Fault, Outcome, Stopped, Violation};
use ferrospin_source::Span;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// Why a model does not go to a device, one sentence for each construct.
pub fn why_not(front: &Front, model: &Model) -> Vec<String> {
    ferrospin_gpu::reasons(model).iter().map(|r| sentence(front, model, r)).collect()
}

pub(crate) fn sentence(front: &Front, model: &Model, reason: &Reason) -> String {
    let span = match reason.spot {
        Spot::Edge(e) => model.edge(e).span,
        Spot::Process(p) => model.process(p).span,
    };
    let place = if span == Span::NONE { None } else { front.map.position(span) };
    let place = place.map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
    format!("{place}{} does not go to a graphics processor", reason.what)
}

/// States of a search on the CPU at which the device takes over: below, its start costs more than it gains.
const HAND_OVER_STATES: u64 = 4_000_000;

/// Whether an answer is one.
pub(crate) fn is_decided(report: &PropertyReport) -> bool {
    matches!(report.verdict, Verdict::Holds | Verdict::Violated)
}

/// Searches on the CPU; once that takes long enough, and where there is a device for the model, it is given up and the device
/// searches. Where the device has no answer the CPU begins again.
pub(crate) fn handing_over<T>(
    (model, options): (&Model, &Options),
    cpu: impl Fn(&Options) -> Result<T, Refusal>,
    decided: impl Fn(&T) -> bool,
    device: impl FnOnce() -> Option<T>,
) -> Result<T, Refusal> {
    let options = Options { engine: Engine::Native, ..options.clone() };
    if !ferrospin_gpu::reasons(model).is_empty() {
        return cpu(&options);
    }
    let (outer, heard) = (options.hooks.interrupt.clone(), options.hooks.progress.clone());
    let (stop, asked, handed) =
        (Arc::new(AtomicBool::new(false)), AtomicBool::new(false), Arc::new(AtomicBool::new(false)));
    let (stops, hands) = (stop.clone(), handed.clone());
    let hear = move |progress: &Progress, elapsed| {
        if outer.load(Ordering::Relaxed) {
            stops.store(true, Ordering::Relaxed);
        }
        let large = progress.states >= HAND_OVER_STATES;
        if large && !asked.swap(true, Ordering::Relaxed) && Driver::open().is_ok() {
            hands.store(true, Ordering::Relaxed);
            stops.store(true, Ordering::Relaxed);
        }
        if let Some(heard) = &heard {
            heard(progress, elapsed);
        }
    };
    let hooks = Hooks { interrupt: stop, progress: Some(Arc::new(hear)), ..options.hooks.clone() };
    let found = cpu(&Options { hooks, ..options.clone() })?;
    if !handed.load(Ordering::Relaxed) || decided(&found) {
        return Ok(found);
    }
    device().map_or_else(|| cpu(&options), Ok)
}

/// What was asked for that only the CPU does.
fn refused(task: &Task<'_>) -> Option<&'static str> {
    let options = task.options;
    let asked = [
        (task.storage.keeps_search(), "a checkpoint was asked for"),
        (options.self_check.is_some(), "a self-check compares executors of the CPU"),
        (options.store.is_some(), "a store was asked for, and the graphics processor has tables of its own"),
        (options.search == Some(crate::verify::Search::DepthFirst), "a graphics processor searches breadth first"),
    ];
    asked.into_iter().find(|a| a.0).map(|a| a.1)
}

/// Why a search does not go to a graphics processor.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum NotOnDevice {
    /// Something was asked for that only the CPU does.
    #[error("{0}")]
    Asked(&'static str),
    /// The model, in a sentence with a place.
    #[error("{0}")]
    Model(String),
    /// There is no device, or its search has failed.
    #[error("{0}")]
    Device(String),
    /// A wrong answer.
    #[error("what the graphics processor found is no violation, an internal error: {0}")]
    Unconfirmed(NoViolation),
}

/// Searches on the device.
pub(crate) fn on_device(
    front: &Front,
    model: &Arc<Model>,
    task: &Task<'_>,
    reference: &mut dyn Reference,
) -> Result<(PropertyReport, Outcome), NotOnDevice> {
    let options = task.options;
    if let Some(why) = refused(task) {
        return Err(NotOnDevice::Asked(why));
    }
    let watch = Watch::start(options);
    let prepared = prepare(model, options, Notices::Failures);
    if let Some(reason) = ferrospin_gpu::reasons(&prepared.model).first() {
        return Err(NotOnDevice::Model(sentence(front, model, reason)));
    }
    let (device, start) = Driver::open_beside(|| Start::new(&prepared, options, wanted(options)));
    let mut device = device.map_err(|t| NotOnDevice::Device(t.to_string()))?;
    search(front, options, &watch, &prepared, start, &mut device, reference)
}

/// What a search on the device begins with; it is made while the device is opened.
pub(crate) struct Start {
    pub(crate) machine: BoxMachine,
    pub(crate) wanted: ferrospin_gpu::Options,
    sample: Result<Sample, Failed>,
}

impl Start {
    pub(crate) fn new(prepared: &Prepared, options: &Options, wanted: ferrospin_gpu::Options) -> Self {
        let mut machine = Maker::new(&prepared.model, options, None).machine();
        let sample = Sample::take(&prepared.model, &mut *machine, &wanted);
        Start { machine, wanted, sample }
    }
}

fn search(
    front: &Front,
    options: &Options,
    watch: &Watch,
    prepared: &Prepared,
    mut start: Start,
    device: &mut dyn Device,
    reference: &mut dyn Reference,
) -> Result<(PropertyReport, Outcome), NotOnDevice> {
    let mut found = watched(front, device, &prepared.model, &mut start, watch)?;
    if found.figures.reduced && found.violation.is_some() {
        // Nearest in the reduced graph is not nearest of all: up to there all moves are taken once more.
        start.wanted = ferrospin_gpu::Options { reduce: false, depth_max: found.depth + 1, ..start.wanted };
        if let Ok(nearer) = watched(front, device, &prepared.model, &mut start, watch)
            && nearer.violation.is_some()
        {
            found.violation = nearer.violation;
        }
    }
    let mut outcome = outcome(&found, options);
    prepared.tell_plainly(&mut outcome);
    let mut report = PropertyReport::undecided("safety", PropertyKind::Safety);
    describe(&found, &mut report);
    let slots = found.figures.slots;
    let searched = Searched {
        outcome,
        store_bytes: slots * found.figures.table.slot_bytes(),
        exact: true,
        scheme: None,
        note: limit(&found),
    };
    safety::sum_up(reference, watch, &searched, &mut report);
    report.state_bytes = Some(u64::from(found.figures.bits.div_ceil(8)));
    report.memory_bytes = Some(found.memory_bytes);
    report.notes.push(figures(&found));
    Ok((report, searched.outcome))
}

/// What the options say about a search on the device.
pub(crate) fn wanted(options: &Options) -> ferrospin_gpu::Options {
    ferrospin_gpu::Options {
        ignore_assert: options.ignore_assert,
        ignore_end_states: options.ignore_end_states,
        require_empty_channels: options.nothing_pending,
        errors_max: options.errors_max.unwrap_or(0),
        depth_max: options.limits.depth_max.unwrap_or(0),
        // Which states a reduced search sees within a depth tells little.
        reduce: options.partial_order && options.limits.depth_max.is_none(),
        ..ferrospin_gpu::Options::default()
    }
}

/// Searches with a watch over it.
pub(crate) fn watched(
    front: &Front,
    device: &mut dyn Device,
    model: &Model,
    start: &mut Start,
    watch: &Watch,
) -> Result<Found, NotOnDevice> {
    let mut go_on = |p: &ferrospin_gpu::Progress| {
        watch.go_on(&Progress {
            states: p.states,
            matched: p.matched,
            depth: p.depth,
            waiting: p.waiting,
            // The memory of the device is no part of the limit, which is one of the process.
            memory_bytes: 0,
            rest_estimated: None,
        })
    };
    let Start { machine, wanted, sample } = start;
    let found = sample
        .clone()
        .and_then(|sample| ferrospin_gpu::search_from(device, model, &mut **machine, wanted, sample, &mut go_on));
    found.map_err(|why| match why {
        Failed::Unfit(reasons) if !reasons.is_empty() => NotOnDevice::Model(sentence(front, model, &reasons[0])),
        why => NotOnDevice::Device(why.to_string()),
    })
}

/// Says in a report how a search was done.
pub(crate) fn describe(found: &Found, report: &mut PropertyReport) {
    let f = &found.figures;
    report.engine = "gpu".into();
    report.store = f.table.name().replace(' ', "-");
    report.reduction = if f.reduced { "ample" } else { "none" }.into();
    report.gpu = Some(GpuFigures {
        device: f.device.clone(),
        search_s: f.search.as_secs_f64(),
        sampling_s: f.sampling.as_secs_f64(),
        making_s: f.making.as_secs_f64(),
        translating_s: f.translating.as_secs_f64(),
        back_s: f.back.as_secs_f64(),
        cycles_s: f.cycles.as_secs_f64(),
        state_bits: f.bits,
        slots: f.slots,
        load: found.states as f64 / f.slots as f64,
        level_max: f.widest,
        widened: f.widened.clone(),
    });
}

/// How the search was done, in a sentence.
pub(crate) fn figures(found: &Found) -> String {
    let f = &found.figures;
    let milliseconds = f.search.as_secs_f64() * 1e3;
    let rate = found.states as f64 / f.search.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "searched by {} in {milliseconds:.1} ms ({rate:.0} million states/s), table {} at load {:.2}",
        f.device,
        f.table.name(),
        found.states as f64 / f.slots as f64
    )
}

/// What is known when the device was full.
pub(crate) fn limit(found: &Found) -> Option<String> {
    let none = if found.errors == 0 { "no violation" } else { "no other violation" };
    (found.ended == Ended::Full)
        .then(|| format!("{none} up to depth {}; incomplete: the memory of the device is full", found.depth))
}

fn outcome(found: &Found, options: &Options) -> Outcome {
    let violation = found.violation.as_ref().map(|v| {
        let fault = if let On::Failure(f) = v.fault { Fault::Failure(f) } else { Fault::InvalidEndState };
        Violation { fault, trail: v.trail.clone() }
    });
    Outcome {
        states: found.states,
        matched: found.matched,
        atomic_steps: found.atomic_steps,
        depth: found.depth,
        errors: options.errors_max.map_or(found.errors, |most| found.errors.min(most)),
        violations: violation.into_iter().collect(),
        stopped: match found.ended {
            Ended::Complete => None,
            Ended::Violations => Some(Stopped::Errors),
            Ended::Depth => Some(Stopped::Depth),
            Ended::Caller => Some(Stopped::Caller),
            Ended::Full => Some(Stopped::Full),
        },
        // Which edges were taken is not counted on the device: none is said to be unreached.
        // Edges are not counted there.
        taken: Vec::new(),
        measured_bytes: found.memory_bytes,
        ..Outcome::default()
    }
}
