//! The searches behind `check`.
//!
//! Each property gets a machine, a search and a [`PropertyReport`]. A verdict says only what was covered: "holds" needs
//! a complete search.

use crate::front::Front;
use crate::liveness;
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport, Unreached, Verdict, Verification, Violation};
use crate::trails;
use crate::verify::{Engine, Goal, Goals, Options, Refusal, Search, Store};
use ferrospin_interp::Interp;
use ferrospin_model::ir::{EdgeId, Model, ProcessId, ProcessKind};
use ferrospin_native::Native;
use ferrospin_search::naive::{self, Fault, Outcome};
use ferrospin_source::Span;
use ferrospin_system::{FailureKind, Machine, NO_EDGE};
use std::sync::Arc;
use std::time::Instant;

/// Checks what `options` ask for.
pub(crate) fn explore(front: &Front, model: &Arc<Model>, options: &Options) -> Result<Verification, Refusal> {
    if model.uses.foreign {
        return Err(Refusal::NotBuilt("running embedded C (`c_code`, `c_expr`)".into()));
    }
    refuse_unbuilt(options)?;
    let mut verification = Verification::default();
    for goal in goals(front, model, options) {
        match goal {
            Wanted::Safety => {
                let (mut report, outcome) = safety(front, model, options, None);
                if let Some(found) = outcome.violations.first() {
                    let first = verification.properties.iter().all(|p| p.trail.is_none());
                    trails::attach(front, model, options, found, &mut report, first).map_err(Refusal::Refused)?;
                }
                if report.verdict == Verdict::Holds {
                    verification.unreached = unreached(front, model, &outcome);
                }
                verification.properties.push(report);
            }
            Wanted::Other(name, kind) => {
                let mut report = liveness::check(front, model, options, &name, kind)?;
                let first = verification.properties.iter().all(|p| p.trail.is_none());
                if let Some(lasso) = report.lasso.take() {
                    trails::attach_lasso(front, model, options, &lasso, &mut report.report, first)
                        .map_err(Refusal::Refused)?;
                }
                verification.properties.push(report.report);
            }
        }
    }
    Ok(verification)
}

/// The executor that `options` ask for, and its name. Where there is no machine code, the interpreter does the work.
pub(crate) fn machine(model: &Arc<Model>, options: &Options) -> (Box<dyn Machine>, &'static str) {
    if options.engine == Engine::Native
        && let Ok(native) = Native::compile(model)
    {
        return (Box::new(native), "native");
    }
    (Box::new(Interp::new(model.clone())), "interp")
}

/// What was asked for by name and is not there.
fn refuse_unbuilt(options: &Options) -> Result<(), Refusal> {
    match (options.store, options.search) {
        (Some(store), _) if store != Store::Exact => Err(Refusal::NotBuilt(format!("the store `{}`", store.name()))),
        (_, Some(Search::DepthFirst)) => Err(Refusal::NotBuilt("depth-first search".into())),
        _ => Ok(()),
    }
}

enum Wanted {
    Safety,
    /// A property that needs a search for cycles.
    Other(String, PropertyKind),
}

/// The properties to check, in the order of the report.
fn goals(front: &Front, model: &Model, options: &Options) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    match &options.goals {
        Goals::Everything => {
            wanted.push(Wanted::Safety);
            let claims = model.processes.iter().filter(|p| p.kind == ProcessKind::Never);
            wanted.extend(claims.map(|p| Wanted::Other(p.name.to_string(), PropertyKind::Never)));
            let mut unnamed = 0;
            for unit in &front.reading.program.units {
                if let ferrospin_promela::ast::Unit::Ltl(l) = unit {
                    let name = l.name.as_ref().map_or_else(
                        || {
                            unnamed += 1;
                            format!("ltl_{}", unnamed - 1)
                        },
                        |n| n.name.to_string(),
                    );
                    wanted.push(Wanted::Other(name, PropertyKind::Ltl));
                }
            }
        }
        Goals::Only(list) => wanted.extend(list.iter().map(|g| match g {
            Goal::Safety => Wanted::Safety,
            Goal::Ltl(f) => Wanted::Other(f.clone(), PropertyKind::Ltl),
            Goal::Acceptance => Wanted::Other("acceptance".into(), PropertyKind::Acceptance),
            Goal::Progress => Wanted::Other("progress".into(), PropertyKind::Progress),
        })),
    }
    wanted
}

/// Assertions, invalid end states and run-time errors.
fn safety(front: &Front, model: &Arc<Model>, options: &Options, claim: Option<ProcessId>) -> (PropertyReport, Outcome) {
    let started = Instant::now();
    let model = claim.map_or_else(|| model.clone(), |c| Arc::new(model.with_claim(c)));
    let search = naive::Options {
        errors_max: options.errors_max.unwrap_or(0),
        states_max: 0,
        depth_max: options.limits.depth_max.unwrap_or(0),
        ignore_assert: options.ignore_assert,
        ignore_end_states: options.ignore_end_states,
        require_empty_channels: options.require_empty_channels,
        has_claim: claim.is_some(),
        only_claim: false,
    };
    let (mut machine, engine) = machine(&model, options);
    let outcome = naive::search(&mut *machine, &search, model.edges.len(), &mut |so_far| {
        options.limits.time_max.is_none_or(|limit| started.elapsed() < limit)
            && options.limits.memory_max_bytes.is_none_or(|limit| so_far.memory_bytes() < limit)
    });
    let mut report = PropertyReport::undecided("safety", PropertyKind::Safety);
    report.verdict = match (outcome.errors, outcome.stopped) {
        (0, None) => Verdict::Holds,
        (0, Some(_)) => Verdict::Undecided,
        _ => Verdict::Violated,
    };
    report.complete = outcome.stopped.is_none();
    report.errors = outcome.errors;
    report.error = outcome.violations.first().map(|v| violation(front, &model, v));
    report.engine = engine.into();
    report.states = Some(outcome.states);
    report.states_matched = Some(outcome.matched);
    report.transitions = Some(outcome.transitions());
    report.depth = Some(outcome.depth);
    report.state_bytes = Some(outcome.state_bytes as u64);
    report.elapsed_s = Some(started.elapsed().as_secs_f64());
    report.memory_bytes = Some(outcome.memory_bytes());
    report.store_bytes_per_state = Some(outcome.memory_bytes() as f64 / outcome.states.max(1) as f64);
    report.omission_probability = Some(0.0);
    (report, outcome)
}

/// A violation for the report.
fn violation(front: &Front, model: &Arc<Model>, v: &naive::Violation) -> Violation {
    let place = |span: Span| {
        front.map.position(span).map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column })
    };
    let depth = Some(v.trail.len() as u64);
    match v.fault {
        Fault::InvalidEndState => Violation {
            kind: ErrorKind::InvalidEndState,
            message: "invalid end state: no process can move, and not all are at an end".into(),
            location: Interp::new(model.clone()).stuck(&v.trail).and_then(|l| place(model.location(l).span)),
            depth,
        },
        Fault::Failure(f) => Violation {
            kind: if f.kind == FailureKind::Assertion { ErrorKind::Assertion } else { ErrorKind::Runtime },
            message: f.kind.to_string(),
            location: (f.edge != NO_EDGE).then(|| model.edge(EdgeId(f.edge)).span).and_then(place),
            depth,
        },
    }
}

/// Statements that no run executes.
fn unreached(front: &Front, model: &Model, outcome: &Outcome) -> Vec<Unreached> {
    let mut list = Vec::new();
    for (id, process) in model.processes.iter().enumerate() {
        if !matches!(process.kind, ProcessKind::Proctype | ProcessKind::Init) {
            continue;
        }
        let own = |e: &EdgeId| model.location(model.edge(*e).from).process == ProcessId(id as u32);
        let line = |e: EdgeId| front.map.position(model.edge(e).span).map(|p| p.line);
        let edges = (0..model.edges.len() as u32).map(EdgeId).filter(own);
        let (mut missed, mut seen) = (Vec::new(), Vec::new());
        for e in edges {
            let inside = model.location(model.edge(e).from).inside_d_step;
            let to = if outcome.taken[e.index()] || inside { &mut seen } else { &mut missed };
            to.extend(line(e));
        }
        missed.sort_unstable();
        missed.dedup();
        missed.retain(|l| !seen.contains(l));
        list.extend(missed.into_iter().map(|line| Unreached { proctype: process.name.to_string(), line }));
    }
    list
}
