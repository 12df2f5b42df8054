//! Counterexamples: confirmed, written, read and replayed.
//!
//! A search hands over moves. [`confirm`] runs them with the reference interpreter, on the process graphs without any
//! optimisation, and gives a trail only if the run ends in the violation that was claimed. The moves must therefore be
//! those of the plain graphs; a search on optimised graphs translates its moves first, with [`plain_moves`].
//!
//! A replay leaves claims out: a claim watches and never acts, so that the processes do the same without it.

use crate::files;
use crate::front::{Define, Front};
use crate::outputs::{Kind, Outputs};
use crate::report::PropertyReport;
use crate::run::{self, Run, Runnable};
use crate::verify::Options;
use ferrospin_interp::failure_kind;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::EdgeId;
use ferrospin_search::cycles::Lasso;
use ferrospin_search::naive::{Fault, Violation};
use ferrospin_source::printable::printable_json;
use ferrospin_system::{Failure, Move, NO_EDGE, NO_PROCESS};
use ferrospin_trace::story::{self, Style};
use ferrospin_trace::trail::{self, Property, Trail};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Steps of a counterexample that a report shows; `replay` shows all.
const STEPS_SHOWN: usize = 40;

/// Confirms a violation, writes its trail where `options` say, and puts both into the report. `first` says whether no
/// other trail was written before; further ones get the name of the property into theirs.
pub(crate) fn attach(
    front: &Front,
    runnable: &Runnable,
    options: &Options,
    found: &Violation,
    report: &mut PropertyReport,
    first: bool,
) -> Result<(), String> {
    let runnable = match found.fault {
        Fault::Failure(f) if matches!(failure_kind(f.code), FailureKind::Exclusive { .. }) => {
            runnable.with(Arc::new(runnable.model.with_claimed_ends()))
        }
        _ => runnable.clone(),
    };
    let kind = serde_json::to_value(report.kind).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default();
    let property = Property { name: report.name.clone(), kind };
    let mut trail = confirm(front, &runnable, property, found)?;
    if let (Some(v), Some(error)) = (&mut trail.violation, &report.error) {
        v.message = error.message.clone();
        v.location = v.location.take().or_else(|| {
            error.location.as_ref().map(|l| trail::Place { file: l.file.clone(), line: l.line, column: l.column })
        });
    }
    put(front, &trail, options, report, first);
    Ok(())
}

/// Writes a trail where `options` say and tells it in the report.
fn put(front: &Front, trail: &Trail, options: &Options, report: &mut PropertyReport, first: bool) {
    let text = story::steps(trail, Style { steps_max: STEPS_SHOWN, indent: "    " });
    if let Some(path) = &options.trail {
        let path = if first { path.clone() } else { with_property(path, &report.name) };
        match save(&Outputs::of(front, options.overwrite), trail, &path) {
            Ok(()) => report.trail = Some(path.display().to_string()),
            Err(why) => report.notes.push(why),
        }
    }
    report.story = Some(text);
}

/// The same for a run that ends in a cycle. What only the claim does is left out of the trail.
pub(crate) fn attach_lasso(
    front: &Front,
    runnable: &Runnable,
    options: &Options,
    lasso: &Lasso,
    report: &mut PropertyReport,
    first: bool,
) -> Result<(), String> {
    let trail = of_lasso(front, runnable, lasso, report)?;
    put(front, &trail, options, report, first);
    Ok(())
}

/// The trail of a run that ends in a cycle, or in a sentence why the run is none.
pub(crate) fn of_lasso(
    front: &Front,
    runnable: &Runnable,
    lasso: &Lasso,
    report: &PropertyReport,
) -> Result<Trail, String> {
    let wrong = |why: &str| {
        format!("internal error: the counterexample of `{}` is not confirmed by the interpreter: {why}", report.name)
    };
    let mut run = Run::start(front, runnable).map_err(|f| wrong(&failure_kind(f.code).to_string()))?;
    let mut trail = run.trail();
    let mut at_cycle = run.now().clone();
    for (i, mv) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        if i == lasso.stem.len() {
            let repeats = lasso.cycle.iter().any(|m| m.process != NO_PROCESS);
            trail.loop_start = repeats.then_some(trail.steps.len());
            at_cycle = run.now().clone();
        }
        if mv.process == NO_PROCESS {
            continue;
        }
        let mv = Move { claim: NO_EDGE, stutter: false, ..*mv };
        if !run.moves().list.contains(&mv) {
            return Err(wrong(&format!("step {} cannot be taken", i + 1)));
        }
        trail.steps.push(run.take(&mv, None).0);
    }
    if !lasso.cycle.is_empty() && run.now().state != at_cycle.state {
        return Err(wrong("the cycle does not come back to where it starts"));
    }
    let kind = serde_json::to_value(report.kind).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default();
    trail.property = Some(Property { name: report.name.clone(), kind });
    trail.violation = report.error.as_ref().map(|e| trail::Violation {
        kind: serde_json::to_value(e.kind).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default(),
        message: e.message.clone(),
        location: e.location.as_ref().map(|l| trail::Place { file: l.file.clone(), line: l.line, column: l.column }),
    });
    finish(&run, &mut trail);
    Ok(trail)
}

/// `m.pml.trail.json` with the name of a property in it: `m.pml.live.trail.json`.
fn with_property(path: &Path, property: &str) -> PathBuf {
    let text = path.display().to_string();
    let stem = text.strip_suffix(".trail.json").or(text.strip_suffix(".json")).unwrap_or(&text);
    let safe: String = property.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    PathBuf::from(format!("{stem}.{safe}.trail.json"))
}

/// Runs the moves of a violation and gives the trail, or says in a sentence why the violation is none.
pub fn confirm(front: &Front, runnable: &Runnable, property: Property, found: &Violation) -> Result<Trail, String> {
    let wrong = |why: &str| {
        format!("internal error: the counterexample of `{}` is not confirmed by the interpreter: {why}", property.name)
    };
    let mut run = match Run::start(front, runnable) {
        Ok(run) => run,
        // Nothing can be run: the mistake is in the initial values.
        Err(f) if found.fault == Fault::Failure(f) => return Ok(stillborn(front, runnable, property, &f)),
        Err(f) => return Err(wrong(&failure_kind(f.code).to_string())),
    };
    let mut trail = run.trail();
    let mut last = None;
    for (i, mv) in found.trail.iter().enumerate() {
        if !run.moves().list.contains(mv) {
            return Err(wrong(&format!("step {} cannot be taken", i + 1)));
        }
        let (step, failure) = run.take(mv, None);
        trail.steps.push(step);
        last = failure;
    }
    let (message, location) = match found.fault {
        Fault::Failure(f) => {
            if last.is_none_or(|l| l.code != f.code) && !run.moves().failures.iter().any(|m| m.code == f.code) {
                return Err(wrong(&format!("it does not end in this failure: {}", failure_kind(f.code))));
            }
            run::failure_text(run.texts(), &runnable.model, &f)
        }
        Fault::InvalidEndState => {
            if !run.moves().list.is_empty() {
                return Err(wrong("somebody can move in its last state"));
            }
            ("invalid end state: no process can move, and not all are at an end".to_string(), None)
        }
    };
    let kind = match found.fault {
        Fault::Failure(f) => failure_kind(f.code).category(),
        Fault::InvalidEndState => "invalid-end-state",
    };
    trail.property = Some(property);
    trail.violation = Some(trail::Violation { kind: kind.into(), message, location });
    finish(&run, &mut trail);
    Ok(trail)
}

/// The trail of a model that has no initial state.
fn stillborn(front: &Front, runnable: &Runnable, property: Property, failure: &Failure) -> Trail {
    let violation = trail::Violation {
        kind: failure_kind(failure.code).category().into(),
        message: format!("{}, in an initial value", failure_kind(failure.code)),
        location: None,
    };
    Trail {
        ferrospin: crate::VERSION.into(),
        schema: trail::SCHEMA,
        model: front.name.clone(),
        fingerprint: runnable.fingerprint().into(),
        options: Vec::new(),
        property: Some(property),
        violation: Some(violation),
        loop_start: None,
        start: Vec::new(),
        steps: Vec::new(),
        standing: Vec::new(),
        values: Vec::new(),
    }
}

/// Adds to a trail how the run ended.
pub fn finish(run: &Run<'_>, trail: &mut Trail) {
    trail.standing = run.standing();
    trail.values = run.values();
}

/// Writes a trail, or says in a sentence why that fails.
pub fn save(outputs: &Outputs<'_>, trail: &Trail, path: &Path) -> Result<(), String> {
    outputs.write(path, Kind::Trail, &printable_json(&trail.to_json()))
}

/// Reads a trail, or says in a sentence why that fails.
pub fn load(path: &Path) -> Result<Trail, String> {
    let name = files::shown(path);
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read `{name}`: {}", files::why(&e)))?;
    let text = String::from_utf8_lossy(&bytes);
    Trail::from_json(&text).map_err(|why| format!("cannot read `{name}` as a trail: {why}"))
}

/// How a trail says that sends to full channels lost their messages.
pub(crate) const LOSSY: &str = "--lossy-channels";

/// Whether sends to full channels lost their messages when a trail was made.
pub fn lossy_channels(trail: &Trail) -> bool {
    trail.options.iter().any(|o| o == LOSSY)
}

/// The macro definitions a trail was made with.
pub fn defines(trail: &Trail) -> Vec<Define> {
    let define = |option: &String| {
        if let Some(name) = option.strip_prefix("-U") {
            return Some(Define::Unset(name.into()));
        }
        let text = option.strip_prefix("-D")?;
        Some(match text.split_once('=') {
            Some((name, value)) => Define::Set(name.into(), Some(value.into())),
            None => Define::Set(text.into(), None),
        })
    };
    trail.options.iter().filter_map(define).collect()
}

/// Says in a sentence why a trail does not fit a model, if it does not.
pub fn check_fit(front: &Front, runnable: &Runnable, trail: &Trail) -> Result<(), String> {
    if trail.fingerprint == runnable.fingerprint() {
        return Ok(());
    }
    let options = match trail.options.as_slice() {
        [] => String::new(),
        some => format!(" with {}", some.join(" ")),
    };
    let why = if base(&trail.model) == base(&front.name) {
        "the model has changed since, or was read with other options"
    } else {
        "that is another model"
    };
    Err(format!(
        "the trail does not fit `{}`: it was made from `{}`{options} by version {}; {why}",
        front.name, trail.model, trail.ferrospin
    ))
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Replays a whole trail and gives it anew, or says in a sentence why it cannot be replayed.
pub fn replay(front: &Front, runnable: &Runnable, trail: &Trail) -> Result<Trail, String> {
    if trail.start.is_empty() && trail.violation.is_some() && trail.steps.is_empty() {
        check_fit(front, runnable, trail)?;
        return Ok(trail.clone());
    }
    check_fit(front, runnable, trail)?;
    let mut run =
        Run::start(front, runnable).map_err(|f| format!("there is no initial state: {}", failure_kind(f.code)))?;
    run.allow_input = true;
    let mut again = Trail {
        property: trail.property.clone(),
        violation: trail.violation.clone(),
        loop_start: trail.loop_start,
        ..run.trail()
    };
    for (i, stored) in trail.steps.iter().enumerate() {
        let Some((mv, input)) = system_move(stored) else {
            again.steps.push(stored.clone());
            continue;
        };
        if !run.moves().list.contains(&mv) {
            return Err(format!("step {} cannot be taken", i + 1));
        }
        let (step, _) = run.take(&mv, input);
        // What the claim did is known from the trail only.
        again.steps.push(trail::Step { mv: stored.mv, claim: stored.claim.clone(), ..step });
    }
    if trail.violation.as_ref().is_some_and(|v| v.kind == "invalid-end-state") && !run.moves().list.is_empty() {
        return Err("somebody can move in its last state".into());
    }
    finish(&run, &mut again);
    Ok(again)
}

/// What moves of graphs behind statement merging are on the plain graphs; `behind` lists the edges that were merged
/// behind an edge, in order.
pub fn plain_moves(moves: &[Move], behind: impl Fn(EdgeId) -> Vec<EdgeId>) -> Vec<Move> {
    let mut plain = Vec::with_capacity(moves.len());
    for mv in moves {
        plain.push(*mv);
        if mv.edge != NO_EDGE {
            plain.extend(behind(EdgeId(mv.edge)).into_iter().map(|e| Move::single(mv.process, e.0)));
        }
        if mv.partner != NO_PROCESS {
            plain.extend(behind(EdgeId(mv.partner_edge)).into_iter().map(|e| Move::single(mv.partner, e.0)));
        }
    }
    plain
}

/// The moves of a trail, and what was typed in, without what only the claim does.
pub fn system_moves(trail: &Trail) -> Vec<(Move, Option<i32>)> {
    trail.steps.iter().filter_map(system_move).collect()
}

fn system_move(step: &trail::Step) -> Option<(Move, Option<i32>)> {
    let mv: Move = step.mv.into();
    (mv.process != NO_PROCESS).then_some((Move { claim: NO_EDGE, stutter: false, ..mv }, step.mv.input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_moves_are_told_apart() {
        let behind = |e: EdgeId| if e == EdgeId(4) { vec![EdgeId(5), EdgeId(7)] } else { Vec::new() };
        let moves = [Move::single(1, 4), Move::single(0, 2)];
        let plain: Vec<_> = plain_moves(&moves, behind).iter().map(|m| (m.process, m.edge)).collect();
        assert_eq!(plain, [(1, 4), (1, 5), (1, 7), (0, 2)]);
    }

    #[test]
    fn further_trails_carry_the_name_of_their_property() {
        let name = |path: &str| with_property(Path::new(path), "[] p").display().to_string();
        assert_eq!(name("m.pml.trail.json"), "m.pml.___p.trail.json");
        assert_eq!(name("x.json"), "x.___p.trail.json");
    }
}
