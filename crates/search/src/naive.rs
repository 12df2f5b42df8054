//! The naive breadth-first search: every reachable state, kept whole in a hash table.
//!
//! No reduction, no compression, one thread. It is the oracle against which stores, reductions and parallel searches
//! are checked, and its counterexamples are the shortest in stored states.

use crate::expand::{Expander, Sink};
use ferrospin_system::{Failure, Machine, Move};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

use crate::safety::VIOLATIONS_KEPT;
pub use crate::safety::{Fault, Options, Outcome, Stopped, Violation};

struct Search {
    options: Options,
    /// Bytes that do not tell states apart.
    unmatched: Vec<(u32, u32)>,
    ids: FxHashMap<Box<[u8]>, u32>,
    parents: Vec<u32>,
    depths: Vec<u32>,
    queue: Vec<Box<[u8]>>,
    now: u32,
    outcome: Outcome,
    /// Violations by state and path from it, to be turned into trails at the end.
    found: Vec<(Fault, u32, Vec<Move>)>,
}

/// What of a state tells it from others.
fn key<'a>(unmatched: &[(u32, u32)], state: &'a [u8]) -> Cow<'a, [u8]> {
    let mut key = Cow::Borrowed(state);
    for &(from, to) in unmatched {
        key.to_mut()[from as usize..to as usize].fill(0);
    }
    key
}

impl Search {
    fn store(&mut self, state: &[u8], parent: u32) {
        let key = key(&self.unmatched, state);
        if self.ids.contains_key(&*key) {
            self.outcome.matched += 1;
            return;
        }
        let id = self.parents.len() as u32;
        let depth = if id == 0 { 0 } else { self.depths[parent as usize] + 1 };
        self.ids.insert(key.into(), id);
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
            for e in [m.edge, m.partner_edge, m.property] {
                if let Some(t) = self.outcome.taken.get_mut(e as usize) {
                    *t = true;
                }
            }
        }
        self.store(state, self.now);
    }

    fn fail(&mut self, failure: Failure, path: &[Move]) {
        if self.options.counts(&failure) {
            self.violate(Fault::Failure(failure), path);
        }
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
    search_but_for(machine, options, edges, &[], go_on)
}

/// The same where some bytes, given as ranges, do not tell states apart: of states that differ in them alone the first one to
/// arrive stands for all.
pub fn search_but_for(
    machine: &mut dyn Machine,
    options: &Options,
    edges: usize,
    unmatched: &[(u32, u32)],
    go_on: &mut dyn FnMut(&Outcome) -> bool,
) -> Outcome {
    let mut s = Search {
        options: options.clone(),
        unmatched: unmatched.to_vec(),
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
        let moves = expander.expand(machine, &state, &mut s);
        if moves == 0 && options.is_bad_end(machine, &state) {
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
        unmatched: &'a [(u32, u32)],
        wanted: u32,
        found: Option<(Vec<u8>, Vec<Move>)>,
    }
    impl Sink for Find<'_> {
        fn arrive(&mut self, state: &[u8], path: &[Move]) {
            if self.found.is_none() && self.ids.get(&*key(self.unmatched, state)) == Some(&self.wanted) {
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
        let mut find = Find { ids: &s.ids, unmatched: &s.unmatched, wanted, found: None };
        expander.expand(machine, &state, &mut find);
        let (next, path) = find.found.expect("a parent leads to its child");
        moves.extend(path);
        state = next;
    }
    moves.extend_from_slice(path);
    moves
}
