//! Searches for safety of systems with bytes that are restored and not compared (`c_track "..." "..." "UnMatched"`).
//!
//! Of states that differ in such bytes alone, the first to arrive stands for all, and others go on from what it held. Stores compare
//! all bytes of a state, so that this search has a table of its own: breadth first, by one worker, without reduction.

use crate::options::{Options, Search, Store};
use crate::refusal::Refusal;
use crate::report::{PropertyKind, PropertyReport};
use crate::safety::{Searched, sum_up, tell_plainly, wanted};
use crate::subject::{Executors, Reference, Task};
use crate::watch::Watch;
use ferrospin_search::naive;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_search::safety::Outcome;

/// Bytes that an entry of the table takes beside the state.
const ENTRY_BYTES: u64 = 64;

/// Why such a system cannot be searched in that way, if it cannot.
fn refusal(options: &Options, keeps_search: bool) -> Option<Refusal> {
    let memory = "memory that is tracked as `UnMatched`";
    let why = if options.search == Some(Search::DepthFirst) || options.swarm.is_some() || options.walk {
        format!("a model with {memory} can be searched breadth first only")
    } else if options.store.is_some_and(|store| !matches!(store, Store::Exact | Store::Arena)) || keeps_search {
        format!("a model with {memory} is kept in a table of its own: without `--store`, `--checkpoint` and `--resume`")
    } else {
        return None;
    };
    Some(Refusal::Refused(why))
}

/// Looks for violations of safety.
pub(crate) fn check(
    executors: &dyn Executors,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<(PropertyReport, Outcome), Refusal> {
    let options = task.options;
    if let Some(refusal) = refusal(options, task.storage.keeps_search()) {
        return Err(refusal);
    }
    let watch = Watch::start(options);
    let mut machine = executors.unchecked();
    let memory = |outcome: &Outcome| 2 * outcome.stored_bytes + ENTRY_BYTES * outcome.states;
    let mut go_on = |outcome: &Outcome| {
        let (states, depth, memory_bytes) = (outcome.states, outcome.depth, memory(outcome));
        watch.go_on(&Progress { states, depth, memory_bytes, ..Progress::default() })
    };
    let wanted = wanted(executors, options);
    let outcome = naive::search_but_for(&mut *machine, &wanted, executors.edges(), executors.unmatched(), &mut go_on);
    let store_bytes = memory(&outcome);
    let mut searched = Searched { outcome, store_bytes, exact: true, scheme: None, note: None };
    tell_plainly(executors, &mut searched.outcome);
    let mut report = PropertyReport::undecided("safety", PropertyKind::Safety);
    report.engine = executors.engine().into();
    (report.reduction, report.store, report.search) = ("none".into(), "exact".into(), "bfs".into());
    report.threads = 1;
    report
        .notes
        .push("some memory is restored and not compared: of states that differ in it alone one was looked at".into());
    sum_up(reference, &watch, &searched, &mut report);
    Ok((report, searched.outcome))
}
