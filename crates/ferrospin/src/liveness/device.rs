//! Formulas on a graphics processor: the automaton of a formula runs beside the processes; what is found is confirmed by the interpreter,
//! which evaluates the formula on the word of the run, without any automaton.

use super::confirm::{Claimed, confirm, confirm_state};
use super::{Answer, Question, answer, violation};
use crate::front::Front;
use crate::gpu::{self, NotOnDevice, Start};
use crate::prepare::{Prepared, prepare};
use crate::report::{PropertyReport, Verdict};
use crate::verify::{Closing, Emptiness, Engine, Options, Refusal};
use crate::watch::Watch;
use ferrospin_gpu::device::Device;
use ferrospin_gpu::driver::Driver;
use ferrospin_gpu::{Automaton, Ended, Fault, Found};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::Model;
use ferrospin_search::cycles::Lasso;
use ferrospin_search::emptiness::product::Goal;
use std::sync::Arc;

/// Checks a formula, whose claim runs beside in `model`, on the device or on the CPU.
pub(super) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    question: &Question<'_>,
) -> Result<Answer, Refusal> {
    let plain = Options { engine: Engine::Native, ..options.clone() };
    if options.engine == Engine::Auto {
        if refused(options).is_some() {
            return answer(front, model, &plain, question);
        }
        return gpu::handing_over(
            (&without_claim(model), options),
            |options| answer(front, model, options, question),
            |found| gpu::is_decided(&found.report),
            || on_device(front, model, options, question).ok(),
        );
    }
    let why = match on_device(front, model, options, question) {
        Ok(found) => return Ok(found),
        Err(why) => why,
    };
    let mut found = answer(front, model, &plain, question)?;
    found.report.notes.insert(0, format!("searched on the CPU: {why}"));
    Ok(found)
}

/// What was asked for that only the CPU does.
fn refused(options: &Options) -> Option<&'static str> {
    let asked = [
        (options.fair, "fairness is asked for"),
        (options.self_check.is_some(), "a self-check compares executors of the CPU"),
        (options.store.is_some(), "a store was asked for, and the graphics processor has tables of its own"),
        (options.emptiness != Emptiness::Auto, "a search for cycles was asked for"),
        (options.stutter_close != Closing::Off, "a closure under stuttering was asked for"),
        (options.under.is_some(), "an under-approximation was asked for"),
    ];
    asked.into_iter().find(|a| a.0).map(|a| a.1)
}

/// The model with its claim among the processes, but not beside them.
fn without_claim(model: &Model) -> Model {
    let mut plain = model.clone();
    if let Some((claim, _)) = plain.layout.claim.take() {
        plain.layout.fixed_size -= plain.process(claim).frame_size;
    }
    plain
}

fn on_device(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    question: &Question<'_>,
) -> Result<Answer, NotOnDevice> {
    if let Some(why) = refused(options) {
        return Err(NotOnDevice::Asked(why));
    }
    let watch = Watch::start(options);
    let mut prepared = prepare(model, options, question.notices());
    prepared.model = Arc::new(without_claim(&prepared.model));
    prepared.plain = Arc::new(without_claim(&prepared.plain));
    let claim = question.claim.expect("a formula has one");
    let said = |reason| NotOnDevice::Model(gpu::sentence(front, model, &reason));
    let automaton = Automaton::of(&prepared.model, claim).map_err(said)?;
    if let Some(reason) = ferrospin_gpu::reasons(&prepared.model).into_iter().next() {
        return Err(said(reason));
    }
    let wanted = ferrospin_gpu::Options { automaton: Some(automaton), ..gpu::wanted(options) };
    let (device, start) = Driver::open_beside(|| Start::new(&prepared, options, wanted));
    let mut device = device.map_err(|trouble| NotOnDevice::Device(trouble.to_string()))?;
    search(front, question, &watch, &prepared, start, &mut device)
}

fn search(
    front: &Front,
    question: &Question<'_>,
    watch: &Watch,
    prepared: &Prepared,
    mut start: Start,
    device: &mut dyn Device,
) -> Result<Answer, NotOnDevice> {
    let found = gpu::watched(front, device, &prepared.model, &mut start, watch)?;
    let mut report = PropertyReport::undecided(question.name, question.kind);
    gpu::describe(&found, &mut report);
    report.search = "owcty".into();
    report.states = Some(found.states);
    report.states_matched = Some(found.matched);
    report.transitions = Some(found.states + found.matched);
    report.depth = Some(found.depth);
    report.state_bytes = Some(u64::from(found.figures.bits.div_ceil(8)));
    report.memory_bytes = Some(found.memory_bytes);
    report.omission_probability = Some(0.0);
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.notes.push(gpu::figures(&found));
    report.notes.extend(rounds(&found));
    let lasso = match (&found.violation, found.ended) {
        (Some(v), _) => Some(violated(front, question, prepared, v, &mut report)?),
        (None, Ended::Complete) => {
            report.complete = true;
            report.verdict = Verdict::Holds;
            None
        }
        (None, ended) => {
            let why = match ended {
                Ended::Full => "the memory of the device is full",
                Ended::Depth => "the depth limit was reached",
                _ => watch.why().unwrap_or("interrupted"),
            };
            report.stopped = Some(why.into());
            report.notes.extend(gpu::limit(&found));
            None
        }
    };
    Ok(Answer { report, lasso })
}

fn rounds(found: &Found) -> Option<String> {
    let f = &found.figures;
    let ms = f.cycles.as_secs_f64() * 1e3;
    (f.rounds > 0).then(|| format!("accepting cycles were looked for in {} rounds of passes, {ms:.1} ms", f.rounds))
}

/// Confirms a violation and tells it.
fn violated(
    front: &Front,
    question: &Question<'_>,
    prepared: &Prepared,
    v: &ferrospin_gpu::Violation,
    report: &mut PropertyReport,
) -> Result<Lasso, NotOnDevice> {
    let of = Claimed {
        model: &prepared.model,
        goal: Goal::Accepting,
        fair: false,
        property: question.property,
        has_claim: false,
    };
    let cycle = if let Fault::Cycle(moves) = &v.fault { moves.clone() } else { Vec::new() };
    let lasso = Lasso { stem: v.trail.clone(), cycle };
    let (confirmed, ends) = match v.fault {
        Fault::Cycle(_) => (confirm(&lasso, &of), None),
        _ => (confirm_state(&lasso.stem, &of), Some(FailureKind::ClaimEnd)),
    };
    confirmed.map_err(NotOnDevice::Unconfirmed)?;
    let lasso = prepared.plain_lasso(&lasso);
    report.verdict = Verdict::Violated;
    report.errors = 1;
    report.error = Some(violation(front, &prepared.plain, question, &lasso, ends));
    Ok(lasso)
}
