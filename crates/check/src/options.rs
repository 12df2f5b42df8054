//! What a check may be asked for.
//!
//! [`Options`] is what a command line or a caller *means*: defaults filled in, contradictions refused. Which files are written is no
//! part of it; see [`crate::storage::Storage`].

use crate::ledger::Why;
use crate::watch::Hooks;
pub use ferrospin_search::safety::{PATIENCE, VIOLATIONS_KEPT};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The share of states that a self-check compares where none is given: one of this many.
pub const SHARE: NonZeroU64 = NonZeroU64::new(1000).expect("it is not 0");

/// All that steers a check.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// What to check.
    pub goals: Goals,
    /// Weak fairness: a process that can move for ever does move.
    pub fair: bool,
    /// The order of the search; `None` leaves the choice to the program.
    pub search: Option<Search>,
    /// How visited states are kept; `None` leaves the choice to the program.
    pub store: Option<Store>,
    /// How cycles are looked for.
    pub emptiness: Emptiness,
    /// Whether properties that may depend on stuttering are closed under it.
    pub stutter_close: Closing,
    /// Partial-order reduction, wherever it is sound.
    pub partial_order: bool,
    /// How the sets of moves of a reduction are found.
    pub selector: Selector,
    /// When such a set is enough.
    pub proviso: Proviso,
    /// That many states are expanded before a reduction may be given up, and before a depth-first search follows several paths.
    pub patience: u64,
    /// No more states than this are shown to a store beforehand: how much it learns decides about time and memory, and never about
    /// what is found.
    pub sample_max: Option<usize>,
    /// That many states are searched for cycles with all moves before a reduced search begins: violations that are near are found
    /// there sooner.
    pub scout: u64,
    /// Beside a large breadth-first search for safety run short depth-first ones, for violations that lie deep: where that is the
    /// order that the program has chosen, and the search stops at the first violation.
    pub probe: bool,
    /// Formulas are searched with too strong a reduction first.
    pub under: Option<Under>,
    /// Statement merging and dead-value resetting.
    pub optimize: bool,
    /// Number of workers.
    pub threads: NonZeroUsize,
    /// What executes the model.
    pub engine: Engine,
    /// One of this many states is compared with the plain model, by the interpreter; `None` for none.
    pub self_check: Option<NonZeroU64>,
    /// Stop at this violation; `None` counts them all.
    pub errors_max: Option<u64>,
    /// Violations count that differ in place or message from all before.
    pub distinct: bool,
    /// Violations of a depth-first search for safety that are kept with their trails.
    pub trails_max: usize,
    /// When to give up.
    pub limits: Limits,
    /// Failed assertions are no violations.
    pub ignore_assert: bool,
    /// Invalid end states are no violations.
    pub ignore_end_states: bool,
    /// At a valid end nothing is under way that has been sent and not been received.
    pub nothing_pending: bool,
    /// A counterexample of a depth-first search is made as short as a breadth-first search finds it.
    pub shorten: bool,
    /// Many differently seeded lossy searches instead of one.
    pub swarm: Option<NonZeroUsize>,
    /// Random walks instead of a search.
    pub walk: bool,
    /// Parameters of lossy stores.
    pub lossy: Lossy,
    /// When the memory limit is reached, a breadth-first search goes on with a bitstate store.
    pub on_full_bitstate: bool,
    /// Further checks.
    pub checks: Checks,
    /// Of what fails in a step, only failed assertions are violations, and no end is one.
    pub only_assertions: bool,
    /// What is told beside the verdicts.
    pub telling: Telling,
    /// What may interrupt the check, and what is told of its progress.
    pub hooks: Hooks,
}

/// Checks beyond what a model states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// Values that an assignment cuts.
    pub overflow: bool,
    /// Statements that no run executes.
    pub unreachable: bool,
}

/// The name of the property that no assignment cuts a value.
pub const OVERFLOW: &str = "overflow";
/// The name of the property that every statement is executed in some run.
pub const UNREACHABLE: &str = "unreachable";

/// What is told beside the verdicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Telling {
    /// Which steps of a counterexample.
    pub steps: Steps,
    /// How long questions beside a search may take.
    pub beside: Beside,
    /// Parts of the model that no run executes are looked for with all moves, where a reduced search leaves that open.
    pub coverage: bool,
}

impl Default for Telling {
    fn default() -> Self {
        Telling { steps: Steps::AtMost(STEPS_SHOWN), beside: Beside::Nothing, coverage: false }
    }
}

/// How long each question beside a search may take: whether a violation disappears under fairness, whether a formula holds because its
/// left side never happens, what no run executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// Nothing is asked.
    Nothing,
    /// A small time, and a fiftieth of a search that took longer than that.
    Small,
    /// As long as the limits allow.
    Full,
}

/// See [`Beside::Small`].
const SMALL: Duration = Duration::from_millis(30);

impl Beside {
    /// The time for a question beside a search that took so long; `None` where nothing is asked.
    pub fn time(self, search_s: Option<f64>) -> Option<Duration> {
        let search = search_s.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(Duration::ZERO);
        match self {
            Beside::Nothing => None,
            Beside::Small if search <= SMALL => Some(SMALL),
            Beside::Small => Some(search / 50),
            // Longer than any search.
            Beside::Full => Some(Duration::from_secs(1 << 30)),
        }
    }
}

/// Steps of a counterexample that a report shows where nothing else is asked for; `replay` shows all.
pub const STEPS_SHOWN: usize = 40;

/// Which steps of a counterexample a report shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// All of them.
    All,
    /// Those that change a value, or of which something else can be told.
    Changes,
    /// At most this many; of a longer one the middle is left out.
    AtMost(usize),
}

/// States that are searched with all moves before a reduced search for cycles, where the reduction was not requested.
pub const SCOUT: u64 = 1 << 15;

/// What `check` does without options, but on one worker, without writing a trail, and without scouts and probes.
impl Default for Options {
    fn default() -> Self {
        Options {
            goals: Goals::Everything,
            fair: false,
            search: None,
            store: None,
            emptiness: Emptiness::Auto,
            stutter_close: Closing::Off,
            partial_order: true,
            selector: Selector::default(),
            proviso: Proviso::Auto,
            patience: PATIENCE,
            sample_max: None,
            scout: 0,
            probe: false,
            under: None,
            optimize: true,
            threads: NonZeroUsize::MIN,
            engine: Engine::Native,
            self_check: None,
            errors_max: Some(1),
            distinct: false,
            trails_max: VIOLATIONS_KEPT,
            limits: Limits::default(),
            ignore_assert: false,
            ignore_end_states: false,
            nothing_pending: false,
            shorten: false,
            swarm: None,
            walk: false,
            lossy: Lossy::default(),
            on_full_bitstate: false,
            checks: Checks::default(),
            only_assertions: false,
            telling: Telling::default(),
            hooks: Hooks::default(),
        }
    }
}

impl Options {
    /// Why a check that is under way must end now, if it must.
    pub fn over(&self) -> Option<&'static str> {
        if self.hooks.interrupt.load(Ordering::Relaxed) {
            return Some(Why::Interrupted.words());
        }
        self.hooks.deadline.is_some_and(|end| Instant::now() >= end).then(|| Why::Time.words())
    }

    /// When a check that begins now must end.
    pub fn deadline(&self) -> Option<Instant> {
        self.hooks.deadline.or_else(|| self.limits.time_max.and_then(|limit| Instant::now().checked_add(limit)))
    }
}

/// What to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goals {
    /// All that the model states.
    Everything,
    /// Just these.
    Only(Vec<Goal>),
}

/// A property to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Assertions, invalid end states, run-time errors; what a model states beside is left out.
    Safety,
    /// The `ltl` block of that name or, where there is none, that formula.
    Ltl(String),
    /// Acceptance cycles of the model's labels.
    Acceptance,
    /// Non-progress cycles.
    Progress,
}

/// The order in which states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Search {
    DepthFirst,
    BreadthFirst,
}

/// When a reduced set of moves is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Proviso {
    /// What is sound for the property and strongest for the search.
    #[default]
    Auto,
    /// No successor is on the path. Sound for everything.
    Strict,
    /// Some successor is not on the path. Sound for safety; of cycles it may lose some.
    Weak,
    /// Every state leads to one that takes enough moves.
    Complete,
    /// Some successor belongs to the next level.
    Level,
    /// Some successor is new or still waits.
    Queue,
    /// Some successor is new.
    Visited,
    /// Every set is. Sound for deadlocks only.
    None,
}

impl Proviso {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Proviso::Auto => "auto",
            Proviso::Strict => "strict",
            Proviso::Weak => "weak",
            Proviso::Complete => "complete",
            Proviso::Level => "level",
            Proviso::Queue => "queue",
            Proviso::Visited => "visited",
            Proviso::None => "none",
        }
    }
}

/// How cycles are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Emptiness {
    /// What suits the property.
    #[default]
    Auto,
    Ndfs,
    Couvreur,
    Tau03,
    Weak,
    Testing,
    Cndfs,
    Ufscc,
}

impl Emptiness {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Emptiness::Auto => "auto",
            Emptiness::Ndfs => "ndfs",
            Emptiness::Couvreur => "couvreur",
            Emptiness::Tau03 => "tau03",
            Emptiness::Weak => "weak",
            Emptiness::Testing => "testing",
            Emptiness::Cndfs => "cndfs",
            Emptiness::Ufscc => "ufscc",
        }
    }
}

/// What becomes of properties that may depend on stuttering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Closing {
    /// They are searched for as they are, without reduction.
    #[default]
    Off,
    /// They are closed; where the closure has no answer, they are searched for as they are.
    Auto,
    /// They are closed; where the closure has no answer, that is the answer.
    Report,
}

/// How visited states are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Store {
    Exact,
    Arena,
    Tree,
    Compact,
    Collapse,
    HashCompact,
    Bitstate,
    Automaton,
}

impl Store {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Store::Exact => "exact",
            Store::Arena => "arena",
            Store::Tree => "tree",
            Store::Compact => "compact",
            Store::Collapse => "collapse",
            Store::HashCompact => "hash-compact",
            Store::Bitstate => "bitstate",
            Store::Automaton => "automaton",
        }
    }
}

/// Parameters of lossy stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lossy {
    /// Seed of the hash.
    pub seed: u64,
    /// Bits a state of a bitstate store.
    pub bits: Option<u32>,
    /// Bits of a fingerprint of a hash-compact store.
    pub fingerprint_bits: Option<u32>,
    /// How many states are expected.
    pub expected_states: Option<u64>,
}

/// What executes the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Machine code.
    Native,
    /// The reference interpreter.
    Interp,
    /// A graphics processor, where the model goes there; machine code else.
    Gpu,
    /// Machine code; once the search is large, a graphics processor takes over if there is one.
    Auto,
}

/// When to give up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Longest path.
    pub depth_max: Option<u64>,
    /// Wall-clock time.
    pub time_max: Option<Duration>,
    /// Memory; without it the machine's memory is the limit.
    pub memory_max_bytes: Option<u64>,
}

/// How sets of moves are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selector {
    /// One process at a time: all that it can do, where no other process matters.
    Ample,
    /// Closure over edges of all processes: stronger, and more expensive.
    #[default]
    Stubborn,
}

impl Selector {
    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Selector::Ample => "ample",
            Selector::Stubborn => "stubborn",
        }
    }
}

/// Searches with too strong a reduction, which is weakened round by round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Under {
    /// Which rounds.
    pub mode: Mode,
    /// How many moves become sensitive from one round to the next.
    pub step: Step,
    /// Which of them first.
    pub order: Order,
    /// What is sensitive in the first round of `A` and `B`.
    pub start: Start,
    /// Most rounds.
    pub rounds_max: Option<u64>,
    /// Most states, all rounds together.
    pub states_max: Option<u64>,
}

/// Which rounds there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Mode {
    Schedule,
    A,
    B,
}

/// How many moves become sensitive from one round to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// This many.
    Count(usize),
    /// Half of those that are left.
    Half,
}

/// Which moves become sensitive first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Any, as this seed says.
    Random(u64),
    /// Those nearest to the start of their process.
    Distance,
    /// As they stand in the text.
    File,
}

/// What is sensitive in the first round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Nothing.
    Empty,
    /// All that is visible.
    Visible,
}

impl Under {
    /// A mode with the choices of the paper, and a fixed order.
    pub fn new(mode: Mode) -> Self {
        Under {
            mode,
            step: Step::Count(1),
            order: Order::File,
            start: Start::Empty,
            rounds_max: None,
            states_max: None,
        }
    }
}
