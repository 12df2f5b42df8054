//! Successors of one state or of several, one behind the other in memory that is used again and again.

use crate::{Control, Failure, Move, Span, Step};

/// The successor that a move leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Index of the move among those of its state.
    pub top: u32,
    /// Where the state starts in [`Batch::bytes`].
    pub start: u32,
    /// Its length.
    pub len: u32,
    /// Which process moves next.
    pub control: Control,
}

impl Arrival {
    /// Where the state stands.
    #[inline]
    pub fn span(&self) -> Span {
        Span { start: self.start, len: self.len }
    }
}

/// See the module. Steps that do not proceed have no arrival.
#[derive(Default, Debug)]
pub struct Batch {
    /// The successors, with gaps between them.
    pub bytes: Vec<u8>,
    /// In the order of the moves, state by state.
    pub arrivals: Vec<Arrival>,
    /// What went wrong, with the index of the move.
    pub failures: Vec<(u32, Failure)>,
    /// Memory for a successor in the making.
    pub spare: Vec<u8>,
}

impl Batch {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.arrivals.clear();
        self.failures.clear();
    }

    /// The state of an arrival.
    #[inline]
    pub fn state(&self, a: &Arrival) -> &[u8] {
        &self.bytes[a.start as usize..][..a.len as usize]
    }

    /// Adds what a step gave.
    pub fn push(&mut self, top: u32, step: &Step, state: &[u8]) {
        if let Some(f) = step.failure {
            self.failures.push((top, f));
        }
        if step.proceeds {
            let start = u32::try_from(self.bytes.len()).expect("a batch stays below 4 GiB");
            self.bytes.extend_from_slice(state);
            self.arrivals.push(Arrival { top, start, len: state.len() as u32, control: step.control });
        }
    }
}

/// The moves of a run of states, of which nothing is out of the ordinary: see [`crate::Machine::expand_run`].
#[derive(Default, Debug)]
pub struct StateRun {
    /// The moves, state by state.
    pub moves: Vec<Move>,
    /// For each state, where its moves end.
    pub ends: Vec<u32>,
    /// How many bytes apart their successors stand.
    pub stride: usize,
    /// Set by the caller: a process that keeps control goes on at once where it has no choice, and the successor is the
    /// state in which control is free again.
    pub runs_on: bool,
    /// Edges that were taken beside those of the moves: those of partners, and those from inner states.
    pub further: Vec<u32>,
    /// How many inner states were passed.
    pub inner_steps: u64,
    /// Set by the caller: a successor may be shorter than its state.
    pub takes_ends: bool,
    /// The moves whose successors are shorter, by index, and the length of these.
    pub ended: Vec<(u32, u32)>,
}

impl StateRun {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.ends.clear();
        self.further.clear();
        self.ended.clear();
        self.inner_steps = 0;
    }
}

/// The ways from an inner state to states in which control is free: see [`crate::Machine::walk`].
#[derive(Default, Debug)]
pub struct AtomicExits {
    /// How many ways there are.
    pub count: u32,
    /// How many bytes apart the states stand to which they lead.
    pub stride: usize,
    /// Edges that were taken, some of them often.
    pub edges: Vec<u32>,
    /// How many inner states were passed.
    pub inner_steps: u64,
}

impl AtomicExits {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.edges.clear();
        (self.count, self.inner_steps) = (0, 0);
    }
}
