//! What a search for violations of safety is asked, and what it answers; the same for every order of search.

use ferrospin_system::{Failure, Labels, Machine, Move, NO_PROCESS};

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
