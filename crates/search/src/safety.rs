//! What a search for violations of safety is asked, and what it answers; the same for every order of search.

use crate::prefixes::{BAD_PREFIX, UNEVALUABLE};
use ferrospin_system::{Failure, Labels, Machine, Move, NO_PROCESS};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// How many violations are kept with their trails, unless the options set another number.
pub const VIOLATIONS_KEPT: usize = 64;

/// That many states are expanded before a reduction may be given up, and before a depth-first search follows several paths, unless
/// the options say otherwise.
pub const PATIENCE: u64 = 1 << 14;

/// When a reduced set of moves is enough. A search that cannot tell takes the next weaker rule that it can.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProvisoKind {
    /// What suits the search: by levels [`ProvisoKind::Level`], depth first [`ProvisoKind::Complete`].
    #[default]
    Auto,
    /// By levels: some successor belongs to the next one.
    Level,
    /// By levels, one worker: some successor is new or still waits.
    Queue,
    /// Some successor is new.
    Visited,
    /// Depth first, one worker: every state leads to one that takes enough moves.
    Complete,
    /// Depth first, one worker: some successor is not on the path.
    Weak,
    /// Depth first, one worker: no successor is on the path.
    Strict,
    /// Every set is, which keeps only states without moves.
    Always,
}

/// What to look for and when to stop.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stop at the n-th violation; 0 counts all.
    pub errors_max: u64,
    /// Stop at this many states; 0 means no limit.
    pub states_max: u64,
    /// Stop at this depth; 0 means no limit.
    pub depth_max: u64,
    /// Failures with this number are no violations.
    pub ignored: Option<u16>,
    /// Invalid end states are not looked for.
    pub ignore_end_states: bool,
    /// At an end nothing may be under way ([`Labels::PENDING`]).
    pub nothing_pending: bool,
    /// A property runs beside: end states are the property's business.
    pub has_property: bool,
    /// Only failures of no process are violations, and those with this number, which says that the property has reached its end.
    pub only_property: Option<u16>,
    /// When a reduced set of moves is enough.
    pub proviso: ProvisoKind,
    /// That many states are expanded before a reduction may be given up, and before a depth-first search follows several paths.
    pub patience: u64,
    /// Violations that are kept with their trails.
    pub trails_max: usize,
    /// Several properties are answered by this search; then it ends when all of them are violated.
    pub apart: Option<Arc<Apart>>,
}

/// Properties that one search answers: the formulas whose prefixes are watched ([`crate::prefixes`]), by their numbers, and, under the
/// number behind them, all else that can go wrong.
#[derive(Debug)]
pub struct Apart {
    counts: Vec<AtomicU64>,
    /// The properties that are decided or not asked for, as bits.
    decided: Arc<AtomicU64>,
    /// Those that are not asked for.
    unasked: u64,
    /// Each is decided by its first violation; otherwise all are counted.
    is_first: bool,
    /// Only violations that differ from all before count.
    different: Option<Different>,
}

/// Violations that differ: in what went wrong, or at which edge. Where a system stands that has come to an end cannot be told here, so
/// that one of some end states counts.
#[derive(Debug)]
struct Different {
    wanted: u64,
    ends_part: u64,
    ends: AtomicU64,
    seen: Mutex<Vec<(ferrospin_system::FailureCode, u32)>>,
}

impl Different {
    fn admits(&self, fault: &Fault) -> bool {
        match fault {
            Fault::InvalidEndState => {
                self.ends.fetch_add(1, Relaxed);
                true
            }
            Fault::Failure(f) => {
                let mut seen = self.seen.lock().expect("nothing panics here");
                let is_new = !seen.contains(&(f.code, f.edge));
                if is_new {
                    seen.push((f.code, f.edge));
                }
                is_new
            }
        }
    }

    fn is_enough(&self) -> bool {
        let seen = self.seen.lock().expect("nothing panics here").len() as u64;
        seen + self.ends.load(Relaxed) / self.ends_part >= self.wanted
    }
}

impl Apart {
    /// For fewer than 63 formulas; `decided` holds those of which nothing is asked.
    pub fn new(formulas: usize, decided: Arc<AtomicU64>, is_first: bool) -> Apart {
        assert!(formulas < 63, "properties are bits of a word");
        let counts = (0..=formulas).map(|_| AtomicU64::new(0)).collect();
        Apart { counts, unasked: decided.load(Relaxed), decided, is_first, different: None }
    }

    /// For safety alone, where `wanted` different violations are looked for; one of `ends_part` end states counts as another one.
    pub fn different(wanted: u64, ends_part: u64) -> Apart {
        let different = Different { wanted, ends_part, ends: AtomicU64::new(0), seen: Mutex::default() };
        Apart { different: Some(different), ..Apart::new(0, Arc::default(), false) }
    }

    /// The property that a fault violates.
    pub fn property(&self, fault: &Fault) -> usize {
        match fault {
            Fault::Failure(f) if matches!(f.code.number, BAD_PREFIX | UNEVALUABLE) => f.code.operands[0] as usize,
            _ => self.counts.len() - 1,
        }
    }

    /// Counts a violation; whether it is one that is asked for.
    pub fn count(&self, fault: &Fault) -> bool {
        let property = self.property(fault);
        let is_asked = self.unasked >> property & 1 == 0;
        if is_asked {
            self.counts[property].fetch_add(1, Relaxed);
        }
        if is_asked && self.is_first {
            self.decided.fetch_or(1 << property, Relaxed);
        }
        is_asked && self.different.as_ref().is_none_or(|different| different.admits(fault))
    }

    /// How many violations of a property were met.
    pub fn met(&self, property: usize) -> u64 {
        self.counts[property].load(Relaxed)
    }

    /// Keeps the first violations of each property.
    pub(crate) fn keep_first<T>(&self, most: usize, list: &mut Vec<T>, fault: impl Fn(&T) -> &Fault) {
        let mut kept = vec![0; self.counts.len()];
        list.retain(|found| {
            let count = &mut kept[self.property(fault(found))];
            *count += 1;
            *count <= most
        });
    }

    /// Whether nothing is open any more.
    pub fn is_over(&self) -> bool {
        if let Some(different) = &self.different {
            return different.is_enough();
        }
        let all = (1_u64 << self.counts.len()) - 1;
        self.decided.load(Relaxed) & all == all
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            errors_max: 1,
            states_max: 0,
            depth_max: 0,
            ignored: None,
            ignore_end_states: false,
            nothing_pending: false,
            has_property: false,
            only_property: None,
            proviso: ProvisoKind::Auto,
            patience: PATIENCE,
            trails_max: VIOLATIONS_KEPT,
            apart: None,
        }
    }
}

impl Options {
    /// Whether a failure is a violation.
    pub fn counts(&self, failure: &Failure) -> bool {
        let number = failure.code.number;
        let of_property = |end| number == end || failure.process == NO_PROCESS;
        self.only_property.is_none_or(of_property) && self.ignored != Some(number)
    }

    /// Whether a state without moves is a violation.
    pub fn is_bad_end(&self, machine: &mut (impl Machine + ?Sized), state: &[u8]) -> bool {
        if self.ignore_end_states || self.has_property {
            return false;
        }
        let labels = machine.labels(state, Labels::END | Labels::PENDING.when(self.nothing_pending));
        labels != Labels::END
    }
}

/// What a property was violated by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Something that went wrong in a step.
    Failure(Failure),
    /// No process can move, and not all are at an end.
    InvalidEndState,
}

/// A violation with the moves that lead to it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What.
    pub fault: Fault,
    /// From the initial state; for a failure the last move is the one that failed, unless it failed while looking for
    /// moves.
    pub trail: Vec<Move>,
}

/// Why a search ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// Enough violations were found.
    Errors,
    /// The limit on states was reached.
    States,
    /// The limit on depth cut some paths.
    Depth,
    /// The caller asked for it.
    Caller,
    /// The store is full.
    Full,
    /// The system gives no thread for a worker.
    Threads,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Distinct stored states.
    pub states: u64,
    /// Arrivals at states already stored.
    pub matched: u64,
    /// Steps inside `atomic`; with a reduction also some behind moves that were left out.
    pub atomic_steps: u64,
    /// Longest distance from the initial state, in stored states.
    pub depth: u64,
    /// How many violations there were.
    pub errors: u64,
    /// The first of them (all, where all were asked for, up to a bound).
    pub violations: Vec<Violation>,
    /// Why it ended early; `None` when everything was explored.
    pub stopped: Option<Stopped>,
    /// Bytes of the longest state.
    pub state_bytes: usize,
    /// Bytes of all stored states.
    pub stored_bytes: u64,
    /// Which edges were taken.
    pub taken: Vec<bool>,
    /// Expansions with fewer than all moves.
    pub reduced: u64,
    /// Random walks to their end.
    pub walks: u64,
    /// Memory of store, frontier and log at the end; 0 when it was not measured.
    pub measured_bytes: u64,
}

impl Outcome {
    /// An estimate of the memory of the naive search: the states twice (table and queue), and what is kept beside.
    pub fn memory_bytes(&self) -> u64 {
        2 * self.stored_bytes + 64 * self.states
    }

    /// Stored plus matched, as SPIN counts transitions.
    pub fn transitions(&self) -> u64 {
        self.states + self.matched
    }
}
