//! What a search tells its caller while it runs, and what the caller may answer.

use crate::checkpoint::LevelRecord;
use std::time::Duration;

/// How much time passes before a worker asks again.
pub(crate) const ASKING: Duration = Duration::from_millis(10);

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Stored states.
    pub states: u64,
    /// Arrivals at stored states.
    pub matched: u64,
    /// Depth reached.
    pub depth: u64,
    /// States that wait to be expanded, as far as known.
    pub waiting: u64,
    /// Memory of store, frontier and log.
    pub memory_bytes: u64,
    /// States that are still to come, as far as the frontier tells: none as long as it grows.
    pub rest_estimated: Option<u64>,
}

/// Hears of the progress of a search; every worker asks now and then, never on the hot path.
pub trait Observer: Sync {
    /// Whether to go on.
    fn go_on(&self, progress: &Progress) -> bool;

    /// A level of a breadth-first search is done, the next one has not begun, and no worker works meanwhile. Returns whether to
    /// go on. States, depth and waiting states are the same for every number of workers here.
    fn between_levels(&self, progress: &Progress) -> bool {
        let _ = progress;
        true
    }

    /// Whether [`Observer::level`] is to be called.
    fn wants_levels(&self) -> bool {
        false
    }

    /// A level of a breadth-first search is complete. Returns whether to go on.
    fn level(&self, record: &LevelRecord) -> bool {
        let _ = record;
        true
    }
}

/// Goes on for ever.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn go_on(&self, _: &Progress) -> bool {
        true
    }
}
