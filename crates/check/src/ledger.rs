//! What a check has found so far: kept beside it, so that a check that is ended by force still has an answer.

use crate::report::{PropertyKind, PropertyReport, Verification};
use ferrospin_search::observe::Progress;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Why a check ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// A signal has come.
    Interrupted,
    /// The time is over.
    Time,
    /// More memory is held than allowed.
    Memory,
    /// The system gives no more memory.
    Refused,
}

impl Why {
    /// The words of a report.
    pub fn words(self) -> &'static str {
        match self {
            Why::Interrupted => "interrupted",
            Why::Time => "the time limit was reached",
            Why::Memory => "the memory limit was reached",
            Why::Refused => "the system gives no more memory",
        }
    }
}

/// What a check has found so far, and what it is about.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Mutex<Entries>,
    /// How far the search for the first open property has come: states, arrivals at stored ones, depth.
    states: AtomicU64,
    matched: AtomicU64,
    depth: AtomicU64,
}

#[derive(Debug, Default)]
struct Entries {
    done: Vec<PropertyReport>,
    open: Vec<(String, PropertyKind)>,
}

impl Ledger {
    /// These properties are going to be checked, in this order.
    pub(crate) fn open(&self, properties: impl Iterator<Item = (String, PropertyKind)>) {
        self.entries().open.extend(properties);
    }

    /// The answer about the first one that is open.
    pub(crate) fn close(&self, report: &PropertyReport) {
        let mut entries = self.entries();
        entries.done.push(report.clone());
        if !entries.open.is_empty() {
            entries.open.remove(0);
        }
        self.note(&Progress::default());
    }

    /// How far a search has come.
    pub(crate) fn note(&self, progress: &Progress) {
        self.states.store(progress.states, Relaxed);
        self.matched.store(progress.matched, Relaxed);
        self.depth.store(progress.depth, Relaxed);
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// All that is known, with the properties that are open as undecided; `None` where it is not even known what is to be
    /// checked, or where the thread that holds the ledger cannot go on.
    pub fn so_far(&self, why: Why) -> Option<Verification> {
        let entries = self.entries.try_lock().ok()?;
        let undecided = entries.open.iter().enumerate().map(|(i, (name, kind))| {
            let mut report = PropertyReport::undecided(name.clone(), *kind);
            report.stopped = Some(why.words().into());
            let states = self.states.load(Relaxed);
            if i == 0 && states > 0 {
                let matched = self.matched.load(Relaxed);
                (report.states, report.states_matched) = (Some(states), Some(matched));
                (report.transitions, report.depth) = (Some(states + matched), Some(self.depth.load(Relaxed)));
                report.notes.push("the search was ended by force; figures are those of its last moment".into());
            }
            report
        });
        let properties: Vec<_> = entries.done.iter().cloned().chain(undecided).collect();
        (!properties.is_empty()).then(|| Verification { properties, ..Verification::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_tells_what_is_open() {
        let ledger = Ledger::default();
        assert!(ledger.so_far(Why::Time).is_none());
        ledger.open([("safety".into(), PropertyKind::Safety), ("p".into(), PropertyKind::Ltl)].into_iter());
        let mut holds = PropertyReport::undecided("safety", PropertyKind::Safety);
        holds.verdict = crate::report::Verdict::Holds;
        ledger.close(&holds);
        let said = ledger.so_far(Why::Time).expect("something is known");
        let said: Vec<_> = said.properties.iter().map(|p| (&*p.name, p.verdict, p.stopped.as_deref())).collect();
        use crate::report::Verdict::{Holds, Undecided};
        assert_eq!(said, [("safety", Holds, None), ("p", Undecided, Some("the time limit was reached"))]);
    }
}
