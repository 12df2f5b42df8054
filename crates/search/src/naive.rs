//! The naive breadth-first search: every reachable state, kept whole in a hash table.
//!
//! No reduction, no compression, one thread. It is the oracle against which stores, reductions and parallel searches
//! are checked, and its counterexamples are the shortest in stored states.

use crate::expand::{Expander, Sink};
use ferrospin_system::{Failure, FailureKind, Machine, Move};
use rustc_hash::FxHashMap;

/// What to look for and when to stop.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stop at the n-th violation; 0 counts all.
    pub errors_max: u64,
    /// Stop at this many states; 0 means no limit.
    pub states_max: u64,
    /// Stop at this depth; 0 means no limit.
    pub depth_max: u64,
    /// Assertions are not checked.
    pub ignore_assert: bool,
    /// Invalid end states are not looked for.
    pub ignore_end_states: bool,
    /// At an end all channels must be empty.
    pub require_empty_channels: bool,
    /// A claim runs beside: end states are the claim's business.
    pub has_claim: bool,
    /// Only a claim that reaches its end, or fails an assertion of its own, is a violation.
    pub only_claim: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            errors_max: 1,
            states_max: 0,
            depth_max: 0,
            ignore_assert: false,
            ignore_end_states: false,
            require_empty_channels: false,
            has_claim: false,
            only_claim: false,
        }
    }
}

/// What a property was violated by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Something that went wrong in a step.
    Failure(Failure),
    /// Nobody can move and not all are at an end.
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
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Distinct stored states.
    pub states: u64,
    /// Arrivals at states already stored.
    pub matched: u64,
    /// Steps inside `atomic`.
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
}

impl Outcome {
    /// An estimate of the memory in use: the states twice (table and queue), and what is kept beside each.
    pub fn memory_bytes(&self) -> u64 {
        2 * self.stored_bytes + 64 * self.states
    }

    /// Stored plus matched, as SPIN counts transitions.
    pub fn transitions(&self) -> u64 {
        self.states + self.matched
    }
}

/// How many violations are kept with their trails.
const VIOLATIONS_KEPT: usize = 64;

struct Search {
    options: Options,
    ids: FxHashMap<Box<[u8]>, u32>,
    parents: Vec<u32>,
    depths: Vec<u32>,
    queue: Vec<Box<[u8]>>,
    now: u32,
    outcome: Outcome,
    /// Violations by state and path from it, to be turned into trails at the end.
    found: Vec<(Fault, u32, Vec<Move>)>,
}

impl Search {
    fn store(&mut self, state: &[u8], parent: u32) {
        if self.ids.contains_key(state) {
            self.outcome.matched += 1;
            return;
        }
        let id = self.parents.len() as u32;
        let depth = if id == 0 { 0 } else { self.depths[parent as usize] + 1 };
        self.ids.insert(state.into(), id);
        self.parents.push(parent);
        self.depths.push(depth);
        self.queue.push(state.into());
        self.outcome.states += 1;
        self.outcome.depth = self.outcome.depth.max(u64::from(depth));
        self.outcome.state_bytes = self.outcome.state_bytes.max(state.len());
        self.outcome.stored_bytes += state.len() as u64;
    }

    fn violate(&mut self, fault: Fault, path: &[Move]) {
        self.outcome.errors += 1;
        if self.found.len() < VIOLATIONS_KEPT {
            self.found.push((fault, self.now, path.to_vec()));
        }
    }
}

impl Sink for Search {
    fn arrive(&mut self, state: &[u8], path: &[Move]) {
        for m in path {
            for e in [m.edge, m.partner_edge, m.claim] {
                if let Some(t) = self.outcome.taken.get_mut(e as usize) {
                    *t = true;
                }
            }
        }
        self.store(state, self.now);
    }

    fn fail(&mut self, failure: Failure, path: &[Move]) {
        let of_claim = failure.kind == FailureKind::ClaimEnd || failure.process == ferrospin_system::NO_PROCESS;
        if self.options.only_claim && !of_claim || failure.kind == FailureKind::Assertion && self.options.ignore_assert
        {
            return;
        }
        self.violate(Fault::Failure(failure), path);
    }

    fn inner_step(&mut self) {
        self.outcome.atomic_steps += 1;
    }
}

/// Searches. `edges` is the number of edges of the model, for the record of what was taken; `go_on` is asked now and
/// then and stops the search by saying no.
pub fn search(
    machine: &mut dyn Machine,
    options: &Options,
    edges: usize,
    go_on: &mut dyn FnMut(&Outcome) -> bool,
) -> Outcome {
    let mut s = Search {
        options: options.clone(),
        ids: FxHashMap::default(),
        parents: Vec::new(),
        depths: Vec::new(),
        queue: Vec::new(),
        now: 0,
        outcome: Outcome { taken: vec![false; edges], ..Outcome::default() },
        found: Vec::new(),
    };
    let mut first = Vec::new();
    if let Err(f) = machine.initial(&mut first) {
        s.outcome.errors = 1;
        s.outcome.violations.push(Violation { fault: Fault::Failure(f), trail: Vec::new() });
        return s.outcome;
    }
    s.store(&first, 0);
    let mut expander = Expander::default();
    let mut next = 0;
    while next < s.queue.len() {
        s.now = next as u32;
        let state = std::mem::take(&mut s.queue[next]);
        next += 1;
        if options.depth_max > 0 && u64::from(s.depths[s.now as usize]) >= options.depth_max {
            s.outcome.stopped = Some(Stopped::Depth);
            continue;
        }
        let marks = machine.marks(&state);
        let moves = expander.expand(machine, &state, &mut s);
        let bad_end = !marks.valid_end || options.require_empty_channels && marks.messages;
        if moves == 0 && bad_end && !options.ignore_end_states && !options.has_claim {
            s.violate(Fault::InvalidEndState, &[]);
        }
        if options.errors_max > 0 && s.outcome.errors >= options.errors_max {
            s.outcome.stopped = Some(Stopped::Errors);
            break;
        }
        if options.states_max > 0 && s.outcome.states >= options.states_max {
            s.outcome.stopped = Some(Stopped::States);
            break;
        }
        if next % 1024 == 0 && !go_on(&s.outcome) {
            s.outcome.stopped = Some(Stopped::Caller);
            break;
        }
    }
    if options.errors_max > 0 {
        s.found.truncate(options.errors_max as usize);
    }
    let found = std::mem::take(&mut s.found);
    s.outcome.violations = found
        .into_iter()
        .map(|(fault, at, path)| Violation { fault, trail: trail(machine, &s, &first, at, &path) })
        .collect();
    s.outcome
}

/// The moves from the initial state to a stored state, then `path`: found again by expanding along the parents.
fn trail(machine: &mut dyn Machine, s: &Search, first: &[u8], at: u32, path: &[Move]) -> Vec<Move> {
    struct Find<'a> {
        ids: &'a FxHashMap<Box<[u8]>, u32>,
        wanted: u32,
        found: Option<(Vec<u8>, Vec<Move>)>,
    }
    impl Sink for Find<'_> {
        fn arrive(&mut self, state: &[u8], path: &[Move]) {
            if self.found.is_none() && self.ids.get(state) == Some(&self.wanted) {
                self.found = Some((state.to_vec(), path.to_vec()));
            }
        }
        fn fail(&mut self, _: Failure, _: &[Move]) {}
        fn inner_step(&mut self) {}
    }
    let mut chain = vec![at];
    while let Some(&id) = chain.last()
        && id != 0
    {
        chain.push(s.parents[id as usize]);
    }
    chain.pop();
    let mut moves = Vec::new();
    let mut state = first.to_vec();
    let mut expander = Expander::default();
    while let Some(wanted) = chain.pop() {
        let mut find = Find { ids: &s.ids, wanted, found: None };
        expander.expand(machine, &state, &mut find);
        let (next, path) = find.found.expect("a parent leads to its child");
        moves.extend(path);
        state = next;
    }
    moves.extend_from_slice(path);
    moves
}
