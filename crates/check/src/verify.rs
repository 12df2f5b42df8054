//! The check of a subject: a search for each property that is asked for.
//!
//! Each property gets a [`PropertyReport`]. A verdict says only what was covered: "holds" needs a
//! complete search.

use crate::coverage::Coverage;
use crate::options::{Goal, Goals, OVERFLOW, Options, UNREACHABLE};
use crate::refusal::Refusal;
use crate::report::{ErrorKind, Further, PropertyKind, PropertyReport, Unreached, Verdict, Verification};
use crate::storage::Storage;
use crate::subject::{EdgePlace, Finding, Stated, Subject, Task};
use crate::{advice, coverage, safety, trails, vacuous};
use std::time::{Duration, Instant};

/// Checks what `options` ask for.
pub fn check(subject: &dyn Subject, options: &Options, storage: &dyn Storage) -> Result<Verification, Refusal> {
    let mut options = options.clone();
    options.telling.coverage |= options.checks.unreachable;
    let options = &options;
    let mut verification = Verification::default();
    let deadline = options.deadline();
    let goals = goals(subject, options);
    for goal in &goals {
        subject.examine(goal)?;
    }
    let ledger = &options.hooks.ledger;
    ledger.open(goals.iter().map(|g| (g.name.clone(), g.kind)));
    let mut together = subject.answer_together(&goals, &Task { options, storage })?;
    let mut alone = together.iter().filter(|answer| answer.is_none()).count();
    for (done, goal) in goals.iter().enumerate() {
        let rest = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let options = &share(options, rest, alone.max(1));
        let answer = match together[done].take() {
            Some(answer) => Ok(answer),
            None => {
                alone -= 1;
                subject.answer(goal, &Task { options, storage })
            }
        };
        let mut answer = answer?;
        if let Some(found) = &answer.finding {
            let first = verification.properties.iter().all(|p| p.trail.is_none());
            trails::attach(subject, &Task { options, storage }, found, &mut answer.report, first)?;
        }
        let others = std::mem::take(&mut answer.others);
        for (other, number) in others.into_iter().filter(|_| options.distinct).zip(2..) {
            let mut one = PropertyReport::undecided(goal.name.clone(), goal.kind);
            one.error = Some(safety::violation(&mut *subject.reference(Some(&other.fault)), &other));
            let name = format!("{}-{number}", goal.name);
            let other = Finding::Violation(other);
            trails::attach_as(subject, &Task { options, storage }, &other, &mut one, (&name, false))?;
            answer.report.notes.extend(one.notes);
            let further = one.error.map(|error| Further { error, explanation: one.explanation, trail: one.trail });
            answer.report.others.extend(further);
        }
        if goal.kind == PropertyKind::Ltl && answer.report.verdict == Verdict::Holds {
            answer.report.vacuous = vacuous::parts(subject, goal, answer.report.elapsed_s, &Task { options, storage });
        }
        answer.report.notes.extend(advice::of(subject, goal, &answer.report, &Task { options, storage }));
        if answer.taken.is_some() && goal.name != OVERFLOW {
            let edges = subject.edges();
            if let Some(taken) = coverage::taken(subject, goal, &answer, &Task { options, storage }, &edges) {
                if taken.open.is_none() {
                    verification.unreached = unreached(&edges, &taken.edges);
                }
                verification.coverage = Some(coverage::of(&edges, &taken)).filter(|c| !c.edges.is_empty());
            }
        }
        ledger.close(&answer.report);
        verification.properties.push(answer.report);
    }
    if options.checks.unreachable {
        let report = unreachable(verification.coverage.as_ref());
        verification.properties.push(report);
    }
    Ok(verification)
}

/// The answer to the question whether every statement is executed in some run.
fn unreachable(coverage: Option<&Coverage>) -> PropertyReport {
    let mut report = PropertyReport::undecided(UNREACHABLE, PropertyKind::Safety);
    let Some(coverage) = coverage.filter(|coverage| coverage.exact) else {
        let open = coverage.and_then(|c| c.open.clone()).unwrap_or_else(|| "no search counts statements here".into());
        report.stopped = Some(open);
        return report;
    };
    report.complete = true;
    report.verdict = if coverage.never.is_empty() { Verdict::Holds } else { Verdict::Violated };
    report.errors = coverage.never.len() as u64;
    let mut places = coverage.never.iter().map(|n| crate::report::Violation {
        kind: ErrorKind::Unreachable,
        message: n.sentence(),
        location: n.location.clone(),
        depth: None,
    });
    report.error = places.next();
    report.others = places.map(|error| Further { error, explanation: None, trail: None }).collect();
    report
}

/// The options for one of several searches that are left: the time limit is one of the whole check, and each gets an
/// equal part of the rest.
pub fn share(options: &Options, rest: Option<Duration>, left: usize) -> Options {
    let mut options = options.clone();
    let parts = u32::try_from(left).unwrap_or(u32::MAX).max(1);
    options.limits.time_max = rest.map(|rest| rest / parts);
    // All searches for the property share its part.
    options.hooks.deadline = None;
    options.hooks.deadline = options.deadline();
    options
}

/// The properties to check, in the order of the report.
fn goals(subject: &dyn Subject, options: &Options) -> Vec<Stated> {
    let stated = |name: &str, kind| Stated { name: name.into(), kind, formula: None };
    let mut goals = goals_asked(subject, options);
    // What is executed is seen by the search for safety.
    if options.checks.unreachable && !goals.iter().any(|goal| goal.kind == PropertyKind::Safety) {
        goals.insert(0, Stated::safety());
    }
    goals.extend(options.checks.overflow.then(|| stated(OVERFLOW, PropertyKind::Safety)));
    goals
}

fn goals_asked(subject: &dyn Subject, options: &Options) -> Vec<Stated> {
    let stated = |name: &str, kind| Stated { name: name.into(), kind, formula: None };
    match &options.goals {
        // Swarms and walks look for violations of safety only.
        Goals::Everything if options.swarm.is_some() || options.walk => vec![Stated::safety()],
        Goals::Everything => subject.properties(),
        Goals::Only(list) => list
            .iter()
            .map(|goal| match goal {
                Goal::Safety => Stated::safety(),
                Goal::Ltl(formula) => stated(formula, PropertyKind::Ltl),
                Goal::Acceptance => stated("acceptance", PropertyKind::Acceptance),
                Goal::Progress => stated("progress", PropertyKind::Progress),
            })
            .collect(),
    }
}

/// Lines that no run executes, group by group.
fn unreached(edges: &[EdgePlace], taken: &[bool]) -> Vec<Unreached> {
    let mut groups: Vec<_> = edges.iter().filter_map(|e| e.group.as_ref()).collect();
    groups.sort();
    groups.dedup();
    let mut list = Vec::new();
    for group in groups {
        let own = edges.iter().zip(taken).filter(|(e, _)| e.group.as_ref() == Some(group));
        let (mut missed, mut seen) = (Vec::new(), Vec::new());
        for (edge, taken) in own {
            let to = if *taken || edge.is_inner { &mut seen } else { &mut missed };
            to.extend(edge.line);
        }
        missed.sort_unstable();
        missed.dedup();
        missed.retain(|line| !seen.contains(line));
        list.extend(missed.into_iter().map(|line| Unreached { group: group.1.to_string(), line }));
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

    #[test]
    fn lines_that_some_run_takes_are_reached() {
        let edge = |group: &str, line, is_inner| {
            let number = u32::from(group == "A");
            EdgePlace { group: Some((number, group.into())), line: Some(line), is_inner, statement: None }
        };
        let edges =
            [edge("B", 9, false), edge("A", 1, false), edge("A", 1, false), edge("A", 2, true), edge("A", 3, false)];
        let lines = unreached(&edges, &[false, false, true, false, false]);
        let lines: Vec<_> = lines.iter().map(|u| format!("{} {}", u.group, u.line)).collect();
        assert_eq!(lines, ["B 9", "A 3"]);
    }
}
