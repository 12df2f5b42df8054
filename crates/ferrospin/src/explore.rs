//! The searches behind `check`.
//!
//! Each property gets a machine, a search and a [`PropertyReport`]. A verdict says only what was covered: "holds" needs
//! a complete search.

use crate::front::Front;
use crate::liveness;
use crate::report::{PropertyKind, Unreached, Verdict, Verification};
use crate::run::Runnable;
use crate::safety;
use crate::swarm;
use crate::trails;
use crate::verify::{Goal, Goals, Options, Refusal};
use ferrospin_model::ir::{EdgeId, Model, ProcessId, ProcessKind};
use ferrospin_search::safety::Outcome;
use std::time::{Duration, Instant};

/// Checks what `options` ask for.
pub(crate) fn explore(front: &Front, runnable: &Runnable, options: &Options) -> Result<Verification, Refusal> {
    let model = &runnable.model;
    if model.uses.foreign {
        return Err(Refusal::Refused(crate::run::EMBEDDED_C.into()));
    }
    let mut verification = Verification::default();
    let deadline = options.deadline();
    let goals = goals(front, model, options);
    let count = goals.len();
    // What is wrong with a formula is said before the first search.
    let asked = liveness::Asked::read(front, runnable, options)?;
    let ledger = &options.hooks.ledger;
    ledger.open(goals.iter().map(Wanted::title));
    for (done, goal) in goals.into_iter().enumerate() {
        let options = &share(options, deadline.map(|end| end.saturating_duration_since(Instant::now())), count - done);
        match goal {
            Wanted::Safety => {
                let lossy = options.swarm.is_some() || options.walk;
                let (mut report, outcome) =
                    if lossy { swarm::check(front, model, options)? } else { safety::check(front, model, options)? };
                if let Some(found) = outcome.violations.first() {
                    let first = verification.properties.iter().all(|p| p.trail.is_none());
                    trails::attach(front, runnable, options, found, &mut report, first).map_err(Refusal::Refused)?;
                }
                // A reduced search may put a statement off for ever where that changes no verdict.
                if report.verdict == Verdict::Holds && outcome.reduced == 0 {
                    verification.unreached = unreached(front, model, &outcome);
                }
                ledger.close(&report);
                verification.properties.push(report);
            }
            Wanted::Other(name, kind) => {
                let mut report = asked.check(options, &name, kind)?;
                let first = verification.properties.iter().all(|p| p.trail.is_none());
                if let Some(lasso) = report.lasso.take() {
                    trails::attach_lasso(front, runnable, options, &lasso, &mut report.report, first)
                        .map_err(Refusal::Refused)?;
                }
                ledger.close(&report.report);
                verification.properties.push(report.report);
            }
        }
    }
    Ok(verification)
}

/// The options for one of so many properties that are left: the time limit is one of the whole check, and each gets an
/// equal part of the rest.
fn share(options: &Options, rest: Option<Duration>, left: usize) -> Options {
    let mut options = options.clone();
    let parts = u32::try_from(left).unwrap_or(u32::MAX).max(1);
    options.limits.time_max = rest.map(|rest| rest / parts);
    // All searches for the property share its part.
    options.hooks.deadline = None;
    options.hooks.deadline = options.deadline();
    options
}

enum Wanted {
    Safety,
    /// A property that needs a search for cycles.
    Other(String, PropertyKind),
}

impl Wanted {
    fn title(&self) -> (String, PropertyKind) {
        match self {
            Wanted::Safety => ("safety".into(), PropertyKind::Safety),
            Wanted::Other(name, kind) => (name.clone(), *kind),
        }
    }
}

/// The properties to check, in the order of the report.
fn goals(front: &Front, model: &Model, options: &Options) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    match &options.goals {
        // Swarms and walks look for violations of safety only.
        Goals::Everything if options.swarm.is_some() || options.walk => wanted.push(Wanted::Safety),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_share_the_time() {
        let options = Options::default();
        let part = |rest, left| share(&options, Some(Duration::from_secs(rest)), left).limits.time_max;
        assert_eq!(part(12, 3), Some(Duration::from_secs(4)));
        assert_eq!(part(10, 1), Some(Duration::from_secs(10)), "what others have left over is not lost");
        assert_eq!(part(0, 2), Some(Duration::ZERO));
        assert_eq!(share(&options, None, 2).limits.time_max, None);
        let shared = share(&options, Some(Duration::from_secs(8)), 2);
        assert!(shared.hooks.deadline.is_some_and(|end| end <= Instant::now() + Duration::from_secs(4)));
    }
}
