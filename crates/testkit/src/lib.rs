//! What the tests share; no product code uses it.
//!
//! - this file: reading and lowering a model from text, plain runs, the models of a folder; [`expectations`] reads the `.expect.tsv` files
//!   beside models, [`skip`] notes what a test leaves out on this machine;
//! - [`language`] writes random programs over the whole language, [`generate`] small ones in a [`program`] of its own that shrinks,
//!   [`formula`] random formulas, [`mod@random`] the numbers behind them, [`mutate`] spoils texts, [`mod@chi`] does chi;
//! - [`mod@bounded`] keeps a machine from going on for ever, [`por`], [`reduced`], [`commute`], [`alike`] and [`live`] compare reduced searches
//!   with naive ones.
//!
//! To write one more kind of statement, add it to [`language`] and to the table of its test; all oracles then see it.

pub mod alike;
pub mod bounded;
pub mod chi;
pub mod commute;
pub mod expectations;
pub mod formula;
pub mod generate;
pub mod language;
pub mod live;
pub mod mutate;
pub mod por;
pub mod program;
pub mod protocols;
pub mod random;
pub mod reduced;
pub mod skip;

use bounded::bounded;
use ferrospin_interp::Interp;
use ferrospin_model::ir::{Action, LocationId, Model, ProcessKind};
use ferrospin_promela::preprocess::{Define, Loader, Options};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::naive;
use ferrospin_source::SourceMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads included files from the folder of the including one.
pub struct FolderLoader;

impl Loader for FolderLoader {
    fn load(&mut self, includer: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        let path: PathBuf = Path::new(includer).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((String::from_utf8_lossy(&bytes).into(), path.display().to_string()))
    }
}

/// Reads and lowers a model; `Err` holds the diagnostics as text.
pub fn model(name: &str, text: &str, defines: &[&str]) -> Result<Model, String> {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let defines = defines
        .iter()
        .map(|d| {
            let d = d.trim_start_matches("-D");
            match d.split_once('=') {
                Some((n, v)) => Define::Set(n.into(), Some(v.into())),
                None => Define::Set(d.into(), None),
            }
        })
        .collect();
    let options = Options { defines, include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    let mut said = reading.diagnostics;
    if !said.has_errors() {
        let (model, more) = ferrospin_lower::lower(&map, &reading.program, &reading.names);
        said.extend(more);
        if !said.has_errors() {
            return Ok(model);
        }
    }
    Err(said
        .iter()
        .map(|d| {
            let line = map.position(d.span).map_or(0, |p| p.line);
            format!("{line}: {}: {}\n", d.code, d.message)
        })
        .collect())
}

/// A plain run: every reachable state, without reduction. With `claim` the first never claim runs beside.
pub fn plain(model: &Model, claim: bool, options: &naive::Options) -> naive::Outcome {
    let never = model.processes.iter().position(|p| p.kind == ProcessKind::Never);
    let model = match never {
        Some(i) if claim => model.with_claim(ferrospin_model::ir::ProcessId(i as u32)),
        _ => model.clone(),
    };
    let has_property = model.layout.claim.is_some();
    let edges = model.edges.len();
    // There may be far too many ways through an `atomic`.
    let steps_max = if options.states_max == 0 { u64::MAX } else { options.states_max.saturating_mul(STEPS_PER_STATE) };
    let options = naive::Options { has_property, ..options.clone() };
    let machine = WithMonitor::new(Interp::new(Arc::new(model)));
    let outcome = bounded(machine, steps_max, |m| naive::search(m, &options, edges, &mut |_| true));
    outcome.unwrap_or_else(|| naive::Outcome {
        stopped: Some(naive::Stopped::States),
        taken: vec![false; edges],
        ..naive::Outcome::default()
    })
}

/// With a limit on states, the limit on steps is this number for each.
const STEPS_PER_STATE: u64 = 100;

/// What a plain run gave, as it is compared with SPIN's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Distinct stored states.
    pub states: u64,
    /// Stored and matched.
    pub transitions: u64,
    /// Steps inside `atomic`, where they were counted.
    pub atomic_steps: Option<u64>,
    /// Violations.
    pub errors: u64,
    /// The first of them, or nothing.
    pub first_error: String,
    /// Whether every state was seen.
    pub complete: bool,
    /// Whether the model holds embedded C, which is not run.
    pub foreign: bool,
    /// Whether something went wrong behind which SPIN's verifier goes on in foreign memory, stops or dies.
    pub undefined_in_spin: bool,
}

/// Whether a model is accepted, and what a plain run of it gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Not accepted; the diagnostics.
    Refused(String),
    /// It ran.
    Ran(Counts),
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::Refused(why) => write!(f, "refused: {}", why.trim_end()),
            Answer::Ran(c) => {
                write!(f, "states {}, transitions {}, ", c.states, c.transitions)?;
                let steps = c.atomic_steps.map_or("-".into(), |n| n.to_string());
                write!(f, "atomic steps {steps}, errors {} {}", c.errors, c.first_error)
            }
        }
    }
}

/// Reads a model and runs it plainly, with all violations counted; a search stops at `states_max` states.
pub fn answer(name: &str, text: &str, defines: &[&str], claim: bool, states_max: u64) -> Answer {
    let model = match model(name, text, defines) {
        Ok(m) => m,
        Err(why) => return Answer::Refused(why),
    };
    let options = naive::Options { errors_max: 0, states_max, ..naive::Options::default() };
    if model.lacks_code() {
        let o = naive::Outcome::default();
        return Answer::Ran(counts(&o, true));
    }
    let mut ran = counts(&plain(&model, claim, &options), false);
    if splits_d_step(&model) {
        ran.atomic_steps = None;
    }
    Answer::Ran(ran)
}

/// Whether a receive or an `else` leads straight to a `d_step`, in one step: a `d_step` that opens with a handshake or an
/// `else` is lowered so, and its steps inside `atomic` are others than SPIN's.
fn splits_d_step(model: &Model) -> bool {
    let is_d_step = |to: LocationId| match &model.locations.get(to.index()).map(|l| &l.edges[..]) {
        Some([only]) => matches!(model.edge(*only).action, Action::DStep(_)),
        _ => false,
    };
    model.edges.iter().any(|e| e.atomic && matches!(e.action, Action::Receive(_) | Action::Else) && is_d_step(e.to))
}

fn counts(o: &naive::Outcome, foreign: bool) -> Counts {
    use ferrospin_interp::failure_kind;
    use ferrospin_model::failure::FailureKind as K;
    let undefined = |k: K| {
        matches!(
            k,
            K::Index { .. }
                | K::DivisionByZero
                | K::BlockedDStep
                | K::EndlessDStep
                | K::RendezvousInDStep
                | K::TooManyProcesses
                | K::TooManyChannels
                | K::NoChannel
                | K::DeadChannel
                | K::TraceChoice
        )
    };
    let failures = || {
        o.violations.iter().filter_map(|v| match v.fault {
            naive::Fault::Failure(f) => Some(failure_kind(f.code)),
            naive::Fault::InvalidEndState => None,
        })
    };
    let first_error = o.violations.first().map(|v| match v.fault {
        naive::Fault::InvalidEndState => "invalid end state".to_string(),
        naive::Fault::Failure(f) => failure_kind(f.code).to_string(),
    });
    Counts {
        states: o.states,
        transitions: o.transitions(),
        atomic_steps: Some(o.atomic_steps),
        errors: o.errors,
        first_error: first_error.unwrap_or_default(),
        complete: o.stopped.is_none(),
        foreign,
        undefined_in_spin: failures().any(undefined),
    }
}
