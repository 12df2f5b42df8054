//! A level of a breadth-first search as a record that can be written to a file and read back.
//!
//! A search is the sequence of its levels: which states are new in each, and how they were reached. Whoever has the
//! records of all levels so far can go on from there with any exact store and any number of workers, and ends with the
//! same counts. Records are plain bytes; writing them, and telling a whole record from a torn one, is the caller's part.
//!
//! A record that was read may be anything, and executors must not be handed what is no state. So an [`Audit`] lets an executor
//! take each step that the records tell of: the first level is the initial state, and each further state is what its parent's
//! move leads to. That costs a step for each state, far less than the search that found them. What no audit can tell is
//! whether a state was left out, and whether counters are right.

use crate::profiler::ReductionProfile;
use crate::successors::lead;
use crate::trail_log::Part;
use ferrospin_system::{Control, Machine, Moves};
use std::fmt;

/// All that a level adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelRecord {
    /// How far the initial state is.
    pub depth: u64,
    /// How its states were reached: what each worker did in the level before. Empty for the first level.
    pub(crate) parts: Vec<Part>,
    /// Its states, in order.
    pub(crate) states: Vec<Vec<u8>>,
    /// Counters of the search up to now.
    pub(crate) matched: u64,
    pub(crate) atomic_steps: u64,
    /// Edges taken up to now.
    pub(crate) taken: Vec<bool>,
    /// What is known of the profile of a reduction, see [`crate::profiler`]; empty where there is none.
    pub(crate) profile: Vec<u8>,
    /// Which states of the level before are complete, see [`crate::tags`], as bits; empty where they are not needed.
    pub(crate) completed: Vec<u64>,
}

impl LevelRecord {
    /// How many states the level has.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The record as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let word = |out: &mut Vec<u8>, n: u64| out.extend_from_slice(&n.to_le_bytes());
        for n in [self.depth, self.matched, self.atomic_steps, self.taken.len() as u64] {
            word(&mut out, n);
        }
        out.extend(self.taken.iter().map(|t| u8::from(*t)));
        word(&mut out, self.parts.len() as u64);
        self.parts.iter().for_each(|p| p.encode(&mut out));
        word(&mut out, self.states.len() as u64);
        for state in &self.states {
            out.extend_from_slice(&(state.len() as u32).to_le_bytes());
            out.extend_from_slice(state);
        }
        word(&mut out, self.profile.len() as u64);
        out.extend_from_slice(&self.profile);
        word(&mut out, self.completed.len() as u64);
        self.completed.iter().for_each(|bits| word(&mut out, *bits));
        out
    }

    /// Reads what [`LevelRecord::encode`] wrote; `None` when it is not that.
    pub fn decode(input: &[u8]) -> Option<LevelRecord> {
        fn take<'a>(input: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
            let head = input.get(..n)?;
            *input = &input[n..];
            Some(head)
        }
        fn word(input: &mut &[u8]) -> Option<u64> {
            Some(u64::from_le_bytes(take(input, 8)?.try_into().ok()?))
        }
        let mut input = input;
        let (depth, matched, atomic_steps) = (word(&mut input)?, word(&mut input)?, word(&mut input)?);
        let edges = usize::try_from(word(&mut input)?).ok()?;
        let taken = take(&mut input, edges)?.iter().map(|b| *b != 0).collect();
        let mut parts = Vec::new();
        for _ in 0..word(&mut input)? {
            parts.push(Part::decode(&mut input)?);
        }
        let mut states = Vec::new();
        for _ in 0..word(&mut input)? {
            let len = u32::from_le_bytes(take(&mut input, 4)?.try_into().ok()?);
            states.push(take(&mut input, len as usize)?.to_vec());
        }
        let profile = usize::try_from(word(&mut input)?).ok()?;
        let profile = take(&mut input, profile)?.to_vec();
        let mut completed = Vec::new();
        for _ in 0..word(&mut input)? {
            completed.push(word(&mut input)?);
        }
        let record = LevelRecord { depth, parts, states, matched, atomic_steps, taken, profile, completed };
        input.is_empty().then_some(record)
    }
}

/// Counters of a search that could overflow are no counters of a search.
const COUNTER_MAX: u64 = 1 << 60;

/// Why a record is none that the search has left behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsound {
    /// It does not start at the initial state.
    Start,
    /// A counter or the size of a table is impossible.
    Counters,
    /// How states were reached is not told as searches tell it.
    Ways,
    /// The state of this number, in the order of the level, is not what its move leads to.
    State(usize),
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsound::Start => f.write_str("it does not begin with the initial state"),
            Unsound::Counters => f.write_str("its counters are impossible"),
            Unsound::Ways => f.write_str("it does not say how its states were reached"),
            Unsound::State(number) => {
                write!(f, "its state {number} is not where the move leads by which it was reached")
            }
        }
    }
}

impl std::error::Error for Unsound {}

/// Checks the records of a search, in their order.
pub struct Audit {
    edges: usize,
    /// The states of the level before.
    before: Vec<Vec<u8>>,
    moves: Moves,
}

/// States between two checks of whether to go on.
const ASKED_EVERY: usize = 1 << 10;

impl Audit {
    /// Checks records about a model of this many edges.
    pub fn new(edges: usize) -> Audit {
        Audit { edges, before: Vec::new(), moves: Moves::default() }
    }

    /// Checks the next record; false when it was stopped before that was done.
    pub fn check(
        &mut self,
        machine: &mut dyn Machine,
        record: &LevelRecord,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Unsound> {
        let is_first = record.depth == 0;
        let counts = [record.matched, record.atomic_steps, record.depth];
        let few_enough = record.completed.len() <= self.before.len().div_ceil(64);
        let profile = record.profile.is_empty() || ReductionProfile::decode(&mut &record.profile[..]).is_some();
        if counts.iter().any(|n| *n > COUNTER_MAX) || record.taken.len() != self.edges || !few_enough || !profile {
            return Err(Unsound::Counters);
        }
        if is_first {
            let mut first = Vec::new();
            let starts = machine.initial(&mut first).is_ok() && record.states == [first] && record.parts.is_empty();
            self.before.clone_from(&record.states);
            return if starts { Ok(true) } else { Err(Unsound::Start) };
        }
        let mut number = 0;
        for part in &record.parts {
            let entries = part.entries().ok_or(Unsound::Ways)?;
            let mut parent = None;
            for (place, code) in entries {
                if number % ASKED_EVERY == 0 && !go_on() {
                    return Ok(false);
                }
                let from = usize::try_from(place).ok().and_then(|place| self.before.get(place)).ok_or(Unsound::Ways)?;
                if parent.replace(place) != Some(place) {
                    machine.moves(from, Control::Free, &mut self.moves);
                }
                let state = lead(machine, from, &self.moves, code);
                if state.is_none() || state.as_ref() != record.states.get(number) {
                    return Err(Unsound::State(number));
                }
                number += 1;
            }
        }
        if number != record.states.len() || number == 0 {
            return Err(Unsound::Ways);
        }
        self.before.clone_from(&record.states);
        Ok(true)
    }
}
