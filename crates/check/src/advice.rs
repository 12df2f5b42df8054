//! What to do when a search did not come to its end for want of memory: which store would hold more, from measured rates.

use crate::explain::beside;
use crate::options::{Options, Store};
use crate::report::{PropertyReport, Verdict};
use crate::storage::Nowhere;
use crate::subject::{Stated, Subject, Task};
use crate::watch::NO_MEMORY;

/// States of a trial from which on what it takes for each says something.
const STATES_MIN: u64 = 1000;

/// A sentence, where there is something to be said: the same search goes on for a small time with a store that compresses, and both rates
/// are told.
pub(crate) fn of<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    report: &PropertyReport,
    task: &Task<'_>,
) -> Option<String> {
    let is_full = report.verdict == Verdict::Undecided && report.stopped.as_deref() == Some(NO_MEMORY);
    if !is_full || report.store != Store::Exact.name() {
        return None;
    }
    let small = task.options.telling.beside.time(report.elapsed_s)?;
    let taken = report.store_bytes_per_state.filter(|bytes| *bytes > 0.0)?;
    let options = Options { store: Some(Store::Tree), ..beside(task.options, small) };
    let trial = subject.answer(property, &Task { options: &options, storage: &Nowhere }).ok()?.report;
    let less = trial.store_bytes_per_state.filter(|bytes| *bytes > 0.0 && *bytes < taken)?;
    (trial.states? >= STATES_MIN && trial.store == Store::Tree.name()).then(|| {
        let times = taken / less;
        format!(
            "the exact store took {taken:.1} bytes a state; `--store tree` took {less:.1} in a short trial, so that it holds about {times:.1} times as many states in the same memory"
        )
    })
}
