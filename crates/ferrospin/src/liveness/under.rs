//! The rounds of an under-approximation, one search each: see [`crate::under`].

use super::{Answer, Graphs, reduced};
use crate::reduction::known_for_cycles;
use crate::report::{Iteration, Verdict};
use crate::sensitive::Population;
use crate::under::{Mode, Plan, Round, Under};
use crate::verify::{Options, Refusal, Selector};
use ferrospin_check::cycles::{CycleCheck, CycleSystem, Reduced};
use ferrospin_search::emptiness::product::Goal;
use std::time::Instant;

/// Searches round by round until a violation is found, nothing can have been missed, or a limit is reached.
pub(super) fn answer(check: &CycleCheck<'_>, graphs: &Graphs<'_>, under: Under) -> Result<Answer, Refusal> {
    let model = &graphs.prepared.model;
    let known = known_for_cycles(model, graphs.question.goal == Goal::NonProgress).expect("it can be reduced");
    let mut initial = Vec::new();
    if graphs.machine().initial(&mut initial).is_err() {
        // The initial values fail: there is nothing to leave out.
        return check.search(Reduced::none(check.options(), None), false);
    }
    let population = Population::new(known.facts(), &initial);
    let plan = Plan::new(under, known.facts(), &population);
    let (iterations, visible) = (plan.rounds(), plan.visible_count() as u64);
    let (mut rounds, mut states): (Vec<Iteration>, u64) = (Vec::new(), 0);
    let mut last = None;
    for round in plan {
        let started = Instant::now();
        let mut answer = search(check, graphs, under.mode, &round)?;
        let report = &mut answer.report;
        let verdict = match report.verdict {
            Verdict::Violated => "violation",
            _ if report.stopped.is_some() => "stopped",
            _ => "none",
        };
        let iteration = Iteration {
            iteration: rounds.len() as u64 + 1,
            iterations,
            sensitive: round.sensitive.len() as u64,
            visible,
            proviso: if round.weak { "weak" } else { "strict" },
            exact: round.exact,
            states: report.states.unwrap_or(0),
            transitions: report.transitions.unwrap_or(0),
            elapsed_s: started.elapsed().as_secs_f64(),
            verdict,
        };
        states += iteration.states;
        rounds.push(iteration);
        let is_over = round.exact || verdict != "none";
        if round.exact && report.verdict == Verdict::Holds {
            report.notes.push(match under.mode {
                Mode::Schedule | Mode::A => "exact run: strict, S=V".into(),
                Mode::B => "exact run: weak, every cycle of a process has a sensitive move".into(),
            });
        }
        let spent = under.states_max.is_some_and(|max| states >= max);
        last = Some((answer, is_over));
        if is_over || spent {
            break;
        }
    }
    let (mut answer, is_over) = last.expect("there is a first round");
    let report = &mut answer.report;
    let count = rounds.len();
    if !is_over {
        report.verdict = Verdict::Undecided;
        let word = if count == 1 { "under-approximation" } else { "under-approximations" };
        report.notes.push(format!("no violation found in {count} {word}, which is no proof"));
    }
    if count > 1 {
        report.notes.push(format!("{count} rounds with {states} states in all; the figures are those of the last one"));
    }
    report.under = rounds;
    Ok(answer)
}

fn search(check: &CycleCheck<'_>, graphs: &Graphs<'_>, mode: Mode, round: &Round) -> Result<Answer, Refusal> {
    // The theorem behind `B` is about sets without any sensitive move.
    let selector = if mode == Mode::B { Selector::Ample } else { check.options().selector };
    let options = Options { selector, ..check.options().clone() };
    let (model, sensitive) = (&graphs.prepared.model, Some(round.sensitive.clone()));
    let reduced = reduced::reduction(model, &options, graphs.question, check.algorithm(), sensitive);
    check.search(reduced, round.weak)
}
