//! Expansion without a reduction: the hot path of most searches.
//!
//! The same as [`crate::worker::Bench`] does with a reduction, but for what only a reduction needs: all moves of a state are
//! taken as they are found, and only hashes are kept beside the successors. What is rare (failures, states inside
//! `atomic`, states without moves) is looked at once per state, and done elsewhere.

use crate::expand::{Expander, Sink};
use crate::safety::{Fault, Options, Outcome};
use crate::successors::{Code, Failed, Taken};
use crate::worker::{BATCH, Full, Receiver};
use ferrospin_system::{Arrival, Batch, Control, Failure, Found, Handle, Machine, Move, Moves, StateHash};

/// What went wrong at a state of the batch.
struct Wrong {
    slot: usize,
    fault: Fault,
    path: Vec<Move>,
}

/// See the module.
pub(crate) struct Plain {
    hash: StateHash,
    moves: Moves,
    batch: Batch,
    hashes: Vec<u64>,
    /// For arrivals through states inside `atomic`: how many there were before by the same move. Shorter than the list of
    /// arrivals, or empty, where there were none.
    inner: Vec<u32>,
    /// Where the arrivals of each state end.
    ends: [u32; BATCH],
    count: usize,
    wrong: Vec<Wrong>,
    expander: Expander,
    taken: Taken,
    atomic_steps: u64,
    pub(crate) states: u64,
    pub(crate) matched: u64,
    state_bytes: usize,
    stored_bytes: u64,
}

impl Plain {
    pub(crate) fn new(hash: StateHash, edges: usize) -> Self {
        Plain {
            hash,
            moves: Moves::default(),
            batch: Batch::default(),
            hashes: Vec::new(),
            inner: Vec::new(),
            ends: [0; BATCH],
            count: 0,
            wrong: Vec::new(),
            expander: Expander::default(),
            taken: Taken(vec![false; edges]),
            atomic_steps: 0,
            states: 0,
            matched: 0,
            state_bytes: 0,
            stored_bytes: 0,
        }
    }

    /// Takes all moves of a state and prefetches where they lead.
    #[inline]
    pub(crate) fn expand(&mut self, machine: &mut dyn Machine, options: &Options, handle: &impl Handle, state: &[u8]) {
        if self.count == 0 {
            self.batch.clear();
            self.hashes.clear();
            self.inner.clear();
        }
        let first = self.batch.arrivals.len();
        machine.expand(state, &mut self.moves, &mut self.batch);
        let mut ordinary = true;
        for arrival in &self.batch.arrivals[first..] {
            ordinary &= arrival.control == Control::Free;
        }
        let smooth = self.batch.failures.is_empty() && self.moves.failures.is_empty() && !self.moves.list.is_empty();
        if !(ordinary && smooth) {
            self.look_closely(machine, options, state, first);
        }
        for mv in &self.moves.list {
            self.taken.note(mv);
        }
        for arrival in &self.batch.arrivals[first..] {
            let hash = self.hash.of(self.batch.state(arrival));
            handle.prefetch(hash);
            self.hashes.push(hash);
        }
        self.ends[self.count] = self.batch.arrivals.len() as u32;
        self.count += 1;
    }

    /// Asks the store about all successors of the batch.
    #[inline]
    pub(crate) fn settle<H: Handle>(&mut self, handle: &mut H, receiver: &mut impl Receiver) -> Result<(), Full> {
        for (arrival, hash) in self.batch.arrivals.iter().zip(&self.hashes) {
            handle.approach(self.batch.state(arrival), *hash);
        }
        let mut start = 0;
        let mut states = 0;
        for slot in 0..std::mem::take(&mut self.count) {
            let end = self.ends[slot] as usize;
            let (arrivals, hashes) = (&self.batch.arrivals[start..end], &self.hashes[start..end]);
            for (i, (arrival, hash)) in arrivals.iter().zip(hashes).enumerate() {
                let state = self.batch.state(arrival);
                match handle.put(state, *hash) {
                    Found::Seen(number) => receiver.meet(number),
                    Found::New(number) => {
                        states += 1;
                        self.state_bytes = self.state_bytes.max(state.len());
                        self.stored_bytes += state.len() as u64;
                        let inner = self.inner.get(start + i).copied().unwrap_or(0);
                        receiver.arrive(number, state, Code { top: arrival.top, inner });
                    }
                    Found::Full => return Err(Full),
                }
            }
            start = end;
            if !self.wrong.is_empty() {
                self.tell(slot, receiver);
            }
            receiver.end();
        }
        self.states += states;
        self.matched += start as u64 - states;
        Ok(())
    }

    /// Tells what went wrong at a state.
    #[cold]
    fn tell(&mut self, slot: usize, receiver: &mut impl Receiver) {
        for wrong in self.wrong.extract_if(.., |w| w.slot == slot) {
            receiver.violate(wrong.fault, wrong.path);
        }
    }

    /// A state with failures, without moves, or with moves that lead into an `atomic`.
    #[cold]
    fn look_closely(&mut self, machine: &mut dyn Machine, options: &Options, state: &[u8], first: usize) {
        let mut failed: Vec<Failed> = self.moves.failures.iter().map(|f| (*f, Vec::new())).collect();
        failed.extend(self.batch.failures.drain(..).map(|(top, f)| (f, vec![self.moves.list[top as usize]])));
        if self.batch.arrivals[first..].iter().any(|a| a.control != Control::Free) {
            self.walk(machine, first, &mut failed);
        }
        let slot = self.count;
        for (failure, path) in failed {
            if options.counts(&failure) {
                self.wrong.push(Wrong { slot, fault: Fault::Failure(failure), path });
            }
        }
        if self.moves.list.is_empty() && options.is_bad_end(machine.marks(state)) {
            self.wrong.push(Wrong { slot, fault: Fault::InvalidEndState, path: Vec::new() });
        }
    }

    /// Replaces arrivals at states inside `atomic` by those behind them.
    fn walk(&mut self, machine: &mut dyn Machine, first: usize, failed: &mut Vec<Failed>) {
        struct Inner<'a> {
            batch: &'a mut Batch,
            inner: &'a mut Vec<u32>,
            taken: &'a mut Taken,
            failed: &'a mut Vec<Failed>,
            atomic_steps: &'a mut u64,
            code: Code,
        }
        impl Sink for Inner<'_> {
            fn arrive(&mut self, state: &[u8], path: &[Move]) {
                path.iter().for_each(|m| self.taken.note(m));
                let start = u32::try_from(self.batch.bytes.len()).expect("a batch stays below 4 GiB");
                self.batch.bytes.extend_from_slice(state);
                let (top, len) = (self.code.top, state.len() as u32);
                self.batch.arrivals.push(Arrival { top, start, len, control: Control::Free });
                self.inner.resize(self.batch.arrivals.len(), 0);
                *self.inner.last_mut().expect("it was just made longer") = self.code.inner;
                self.code.inner += 1;
            }
            fn fail(&mut self, failure: Failure, path: &[Move]) {
                self.failed.push((failure, path.to_vec()));
            }
            fn inner_step(&mut self) {
                *self.atomic_steps += 1;
            }
        }
        let found = self.batch.arrivals.split_off(first);
        let mut start = std::mem::take(&mut self.batch.spare);
        for arrival in found {
            if arrival.control == Control::Free {
                self.batch.arrivals.push(arrival);
                continue;
            }
            start.clear();
            start.extend_from_slice(self.batch.state(&arrival));
            let mut sink = Inner {
                batch: &mut self.batch,
                inner: &mut self.inner,
                taken: &mut self.taken,
                failed,
                atomic_steps: &mut self.atomic_steps,
                code: Code { top: arrival.top, inner: 0 },
            };
            let mv = self.moves.list[arrival.top as usize];
            self.expander.walk(machine, &start, arrival.control, mv, &mut sink);
        }
        self.batch.spare = start;
    }

    /// Adds what was done to the outcome of the search.
    pub(crate) fn sum_up(&self, outcome: &mut Outcome) {
        outcome.states += self.states;
        outcome.matched += self.matched;
        outcome.state_bytes = outcome.state_bytes.max(self.state_bytes);
        outcome.stored_bytes += self.stored_bytes;
        outcome.atomic_steps += self.traces(&mut outcome.taken);
    }

    /// Marks the edges taken; the number of steps inside `atomic`.
    pub(crate) fn traces(&self, taken: &mut [bool]) -> u64 {
        taken.iter_mut().zip(&self.taken.0).for_each(|(to, from)| *to |= from);
        self.atomic_steps
    }
}
