//! Depth-first probes beside a breadth-first search: what lies deep is found as well.
//!
//! Searching by levels gives the shortest counterexample, and finds nothing of a violation behind more states than there is memory
//! for. So each time it has become four times as large a probe starts beside it: a few depth-first searches, one behind the other,
//! each with a small part of the states that were stored so far. The first goes as `--search dfs` would, the others take all moves,
//! in an order that their number decides. What a probe finds it searches for again with half the depth, and so on, as long as
//! that succeeds.
//!
//! *Repeatable:* the answer of a probe is asked for at one place only: between two levels, when the search has half as many states
//! again as when the probe started. Until then the levels go on, and a violation that they come to is shorter. So verdict, counts and
//! counterexample are the same for every number of workers, and however fast a probe is. A search that is stopped by a limit
//! asks at its end.
//!
//! *Cost:* a probe is one thread beside those of the search, and stores a forty-eighth part of its states; all of them together
//! at most a thirty-sixth. Small searches have none.

use crate::options::Selector;
use crate::subject::Executors;
use ferrospin_search::checkpoint::LevelRecord;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_search::safety::{Options, Outcome, Stopped, Violation};
use ferrospin_search::shuffle::Shuffled;
use ferrospin_search::{BoxMachine, Setup, depth};
use ferrospin_store::Exact;
use ferrospin_system::{Reduction, StateHash};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// States that the search has stored when the first probe starts.
const FIRST: u64 = 1 << 17;
/// How much larger the search is when the next one starts.
const NEXT: u64 = 4;
/// By what part the search has grown when a probe is asked for its answer.
const ANSWER: u64 = 2;
/// What part of the states of the search a probe may store.
const PART: u64 = 48;
/// Depth-first searches of a probe in other orders, and what part of its states each may store; the first has the rest, because a
/// state costs less there.
const OTHERS: u64 = 2;
const PART_OTHERS: u64 = 8;
/// How often a shorter run is searched for.
const SHORTENINGS: u64 = 6;
/// How often a search that waits for an answer looks whether its limits are reached.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Part of the memory of the search that a probe may take, and what a state takes beside its bytes.
const PART_MEMORY: u64 = 16;
const BESIDE_STATE_BYTES: u64 = 64;

/// A violation that a probe has found.
pub(crate) struct Finding {
    pub(crate) violation: Violation,
    /// States and depth of the search by levels when the probe started.
    pub(crate) states: u64,
    pub(crate) depth: u64,
}

impl Finding {
    /// What the report says of it.
    pub(crate) fn note(&self) -> String {
        let steps = self.violation.trail.len();
        format!(
            "found depth first ({steps} steps), by a probe beside the search by levels, when that had come to depth {} with {} \
             states: there may be a shorter run, which `--search bfs` finds if there is memory for it",
            self.depth, self.states
        )
    }
}

/// What the search and its probe share.
#[derive(Default)]
struct Ties {
    is_cancelled: AtomicBool,
    memory_bytes: AtomicU64,
}

impl Observer for Ties {
    fn go_on(&self, progress: &Progress) -> bool {
        self.memory_bytes.store(progress.memory_bytes, Relaxed);
        !self.is_cancelled.load(Relaxed)
    }
}

/// What a probe needs.
pub(crate) struct Means<'a> {
    /// Of the search by levels.
    pub(crate) observer: &'a dyn Observer,
    pub(crate) executors: &'a dyn Executors,
    /// How a reduction chooses, if there is one.
    pub(crate) reduced: Option<Selector>,
    pub(crate) options: Options,
    pub(crate) edges: usize,
    pub(crate) memory_max_bytes: u64,
    /// Whether the search still asks for such a violation.
    pub(crate) is_open: Box<dyn Fn(&Violation) -> bool + Send + 'a>,
}

/// See the module. Hears of the search by levels.
pub(crate) struct Probing<'a> {
    observer: &'a dyn Observer,
    ties: Arc<Ties>,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    means: Means<'a>,
    next: u64,
    running: Option<Running>,
    found: Option<Finding>,
}

struct Running {
    thread: JoinHandle<Option<Violation>>,
    /// Where the search was when it started.
    states: u64,
    depth: u64,
}

impl Running {
    fn answer(self) -> Option<Finding> {
        let Running { thread, states, depth } = self;
        let violation = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Some(Finding { violation, states, depth })
    }
}

impl<'a> Probing<'a> {
    pub(crate) fn new(means: Means<'a>) -> Probing<'a> {
        let state = State { next: FIRST, running: None, found: None, means };
        Probing { observer: state.means.observer, ties: Arc::default(), state: Mutex::new(state) }
    }

    /// What was found, when the search is over; `is_open` when its answer is not known. Nothing runs any more.
    pub(crate) fn finish(self, is_open: bool) -> Option<Finding> {
        // A probe that was not asked for its answer ends soon, and may have found something.
        self.ties.is_cancelled.store(true, Relaxed);
        let mut state = self.state.into_inner().expect("nothing panics here");
        let running = state.running.take().and_then(Running::answer);
        let running = running.filter(|found| (state.means.is_open)(&found.violation));
        state.found.or(running).filter(|_| is_open)
    }
}

impl Observer for Probing<'_> {
    fn go_on(&self, progress: &Progress) -> bool {
        let memory_bytes = progress.memory_bytes + self.ties.memory_bytes.load(Relaxed);
        self.observer.go_on(&Progress { memory_bytes, ..*progress })
    }

    fn between_levels(&self, progress: &Progress) -> bool {
        let mut state = self.state.lock().expect("nothing panics here");
        if let Some(running) = state.running.take_if(|r| progress.states >= r.states + r.states / ANSWER) {
            // The limits of the search hold while it waits, too.
            while !running.thread.is_finished() && !self.ties.is_cancelled.load(Relaxed) {
                std::thread::sleep(LOOK_EVERY);
                self.ties.is_cancelled.fetch_or(!self.go_on(progress), Relaxed);
            }
            state.found = running.answer().filter(|found| (state.means.is_open)(&found.violation));
            self.ties.memory_bytes.store(0, Relaxed);
        }
        if progress.states >= state.next && progress.waiting > 0 && state.running.is_none() && state.found.is_none() {
            state.next = NEXT * progress.states;
            state.running = state.means.start(progress, &self.ties);
        }
        let goes_on = state.found.is_none() && !self.ties.is_cancelled.load(Relaxed);
        goes_on && self.observer.between_levels(progress)
    }

    fn wants_levels(&self) -> bool {
        self.observer.wants_levels()
    }

    fn level(&self, record: &LevelRecord) -> bool {
        self.observer.level(record)
    }
}

impl Means<'_> {
    /// Starts a probe, if there is an initial state and a thread for it.
    fn start(&self, progress: &Progress, ties: &Arc<Ties>) -> Option<Running> {
        let mut machines = (0..1 + OTHERS + SHORTENINGS).map(|_| self.executors.machine()).collect::<Vec<_>>();
        let mut first = Vec::new();
        machines[0].initial(&mut first).ok()?;
        let state_bytes = 2 * first.len() as u64 + BESIDE_STATE_BYTES;
        let memory_max_bytes = self.memory_max_bytes / PART_MEMORY;
        let states_max = (progress.states / PART).min(memory_max_bytes / state_bytes);
        let probe = Probe {
            machines,
            // What a probe meets must not count for the search: how far it comes depends on the time.
            reduction: self.reduced.and_then(|selector| self.executors.reduction(selector, true)?.ok()),
            options: Options { errors_max: 1, apart: self.options.apart.clone(), ..self.options.clone() },
            edges: self.edges,
            states_max,
            memory_max_bytes,
            seed: progress.states,
            ties: ties.clone(),
        };
        let thread = std::thread::Builder::new().name("probe".into()).spawn(|| probe.run()).ok()?;
        Some(Running { thread, states: progress.states, depth: progress.depth })
    }
}

/// A probe: depth-first searches, one behind the other.
struct Probe {
    machines: Vec<BoxMachine>,
    reduction: Option<Box<dyn Reduction>>,
    options: Options,
    edges: usize,
    states_max: u64,
    memory_max_bytes: u64,
    seed: u64,
    ties: Arc<Ties>,
}

impl Probe {
    fn run(mut self) -> Option<Violation> {
        let others = self.states_max / PART_OTHERS;
        let first = self.states_max - OTHERS * others;
        let (order, mut found) = (0..=OTHERS).find_map(|order| {
            let states_max = if order == 0 { first } else { others };
            Some((order, self.search(order, states_max, 0)?))
        })?;
        let (mut low, mut high) = (0, found.trail.len() as u64);
        for _ in 0..SHORTENINGS {
            let depth_max = low + (high - low) / 2;
            if depth_max == low {
                break;
            }
            match self.search(order, self.states_max, depth_max) {
                Some(shorter) if shorter.trail.len() < found.trail.len() => {
                    high = depth_max.min(shorter.trail.len() as u64);
                    found = shorter;
                }
                _ => low = depth_max,
            }
        }
        Some(found)
    }

    /// Searches depth first, with no more states and no deeper than that.
    fn search(&mut self, order: u64, states_max: u64, depth_max: u64) -> Option<Violation> {
        let machine = self.machines.pop()?;
        let (machine, reduction) = match order {
            0 => (machine, self.reduction.as_ref().map(|r| r.another())),
            _ => (Box::new(Shuffled::new(machine, self.seed + order)) as BoxMachine, None),
        };
        let options = Options { states_max: states_max.max(1), depth_max, ..self.options.clone() };
        let outcome: Outcome = depth::search(Setup {
            machines: vec![machine],
            reduction,
            store: &Exact::new(&ferrospin_store::Options::limited(self.memory_max_bytes)),
            hash: StateHash::new(0),
            options: &options,
            edges: self.edges,
            observer: &*self.ties,
            keeps: false,
        });
        debug_assert!(
            outcome.errors == 0 || outcome.stopped == Some(Stopped::Errors),
            "it ends at the first violation"
        );
        outcome.violations.into_iter().next()
    }
}
