//! Expansion without a reduction: the hot path of most searches.
//!
//! The same as [`crate::pipeline::Pipeline`] does with a reduction, but for what only a reduction needs: all moves of a state are
//! taken as they are found, and only hashes are kept beside the successors. What is rare (failures, states inside
//! `atomic`, states without moves) is looked at once per state, and done elsewhere.

use crate::expand::{Expander, Sink};
use crate::pipeline::{BATCH, Full, Origins, Receiver};
use crate::safety::{Fault, Options, Outcome};
use crate::successors::{Code, Failed, Taken};
use ferrospin_system::{
    Arrival, AtomicExits, Batch, Control, Failure, Fresh, Handle, Machine, Move, Moves, Span, StateHash, StateRun,
};

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
    run: StateRun,
    batch: Batch,
    waiting: Vec<Span>,
    fresh: Vec<Fresh>,
    codes: Vec<Code>,
    /// Arrivals inside `atomic` that are being replaced.
    found: Vec<Arrival>,
    /// By state of the batch: where its successors begin in the list of those that wait, and those of the next one.
    ends: [u32; BATCH + 1],
    /// By state of the batch: where its successors' codes are, when they are not simply numbered as the moves are.
    firsts: [Option<u32>; BATCH],
    count: usize,
    wrong: Vec<Wrong>,
    expander: Expander,
    ways: AtomicExits,
    taken: Taken,
    atomic_steps: u64,
    pub(crate) states: u64,
    pub(crate) matched: u64,
    longest: u32,
    stored_bytes: u64,
}

impl Plain {
    pub(crate) fn new(hash: StateHash, edges: usize) -> Self {
        Plain {
            hash,
            moves: Moves::default(),
            run: StateRun { runs_on: true, takes_ends: true, ..StateRun::default() },
            batch: Batch::default(),
            waiting: Vec::new(),
            fresh: Vec::new(),
            codes: Vec::new(),
            found: Vec::new(),
            ends: [0; BATCH + 1],
            firsts: [None; BATCH],
            count: 0,
            wrong: Vec::new(),
            expander: Expander::default(),
            ways: AtomicExits::default(),
            taken: Taken(vec![false; edges]),
            atomic_steps: 0,
            states: 0,
            matched: 0,
            longest: 0,
            stored_bytes: 0,
        }
    }

    /// Takes all moves of states of `len` bytes that stand one behind the other; with those before they are a batch at most.
    pub(crate) fn expand(&mut self, machine: &mut dyn Machine, options: &Options, states: &[u8], len: usize) {
        if self.count == 0 {
            self.batch.clear();
            self.waiting.clear();
            self.codes.clear();
        }
        let mut states = states;
        loop {
            let mut start = self.batch.bytes.len() as u32;
            let more = machine.expand_run(states, len, &mut self.run, &mut self.moves, &mut self.batch);
            let StateRun { moves, ends, stride, further, inner_steps, ended, .. } = &self.run;
            moves.iter().for_each(|mv| self.taken.mark(mv.edge));
            further.iter().for_each(|edge| self.taken.mark(*edge));
            self.atomic_steps += inner_steps;
            let before = self.waiting.len() as u32;
            self.waiting.extend(moves.iter().map(|_| {
                let span = Span { start, len: len as u32 };
                start += *stride as u32;
                span
            }));
            for (i, short) in ended {
                self.waiting[(before + i) as usize].len = *short;
            }
            for (slot, end) in (self.count..).zip(ends) {
                (self.ends[slot + 1], self.firsts[slot]) = (before + end, None);
            }
            self.count += ends.len();
            states = states.get(ends.len() * len..).unwrap_or_default();
            if states.is_empty() && len > 0 {
                return;
            }
            let state = &states[..len];
            if !more {
                machine.expand(state, &mut self.moves, &mut self.batch);
            }
            let first = self.codes.len();
            self.look_closely(machine, options, state);
            self.waiting.extend(self.batch.arrivals.drain(..).map(|a| a.span()));
            let mut slow = Some(first as u32);
            if self.codes[first..].iter().zip(0..).all(|(code, top)| *code == Code { top, inner: 0 }) {
                self.codes.truncate(first);
                slow = None;
            }
            (self.ends[self.count + 1], self.firsts[self.count]) = (self.waiting.len() as u32, slow);
            self.count += 1;
            states = &states[len..];
            if states.is_empty() {
                return;
            }
        }
    }

    /// Asks the store about all successors of the batch.
    #[inline]
    pub(crate) fn commit<H: Handle>(&mut self, handle: &mut H, receiver: &mut impl Receiver) -> Result<(), Full> {
        self.fresh.clear();
        let put = handle.insert_batch(&self.batch.bytes, &self.waiting, &self.hash, &mut self.fresh);
        let list = std::mem::take(&mut self.fresh);
        let count = std::mem::take(&mut self.count);
        if self.wrong.is_empty() && self.codes.is_empty() {
            let origins = Origins { ends: &self.ends[1..count + 1], bases: &self.ends[..count], owners: &[], first: 0 };
            receiver.arrive_all(&list, origins, &self.waiting, &self.batch.bytes);
        } else {
            self.tell_all(&list, count, receiver);
        }
        let lengths = list.iter().map(|fresh| self.waiting[fresh.index as usize].len);
        let (longest, bytes) = lengths.fold((0, 0), |(longest, sum), len| (len.max(longest), sum + u64::from(len)));
        self.longest = self.longest.max(longest);
        self.stored_bytes += bytes;
        self.states += list.len() as u64;
        self.matched += (put - list.len()) as u64;
        // The memory is used again.
        self.fresh = list;
        if put < self.waiting.len() { Err(Full) } else { Ok(()) }
    }

    /// Tells what is new, and what went wrong, where some states were looked at closely.
    fn tell_all(&mut self, list: &[Fresh], count: usize, receiver: &mut impl Receiver) {
        let mut slot = 0;
        for &Fresh { index, number } in list {
            while self.ends[slot + 1] <= index {
                self.tell(slot, receiver);
                receiver.pass(1);
                slot += 1;
            }
            let top = index - self.ends[slot];
            let code = match self.firsts[slot] {
                None => Code { top, inner: 0 },
                Some(first) => self.codes[(first + top) as usize],
            };
            receiver.arrive(number, self.waiting[index as usize].state(&self.batch.bytes), code);
        }
        for slot in slot..count {
            self.tell(slot, receiver);
            receiver.pass(1);
        }
    }

    /// Tells what went wrong at a state.
    #[cold]
    fn tell(&mut self, slot: usize, receiver: &mut impl Receiver) {
        for wrong in self.wrong.extract_if(.., |w| w.slot == slot) {
            receiver.violate(wrong.fault, wrong.path);
        }
    }

    /// A state with failures, without moves, or with moves that lead into an `atomic`: arrivals at states inside one are
    /// replaced by those behind them, and everything that went wrong is noted.
    fn look_closely(&mut self, machine: &mut dyn Machine, options: &Options, state: &[u8]) {
        self.moves.list.iter().for_each(|mv| self.taken.note(mv));
        let mut failed: Vec<Failed> = self.moves.failures.iter().map(|f| (*f, Vec::new())).collect();
        failed.extend(self.batch.failures.drain(..).map(|(top, f)| (f, vec![self.moves.list[top as usize]])));
        if self.batch.arrivals.iter().any(|a| a.control != Control::Free) {
            self.walk(machine, &mut failed);
        } else {
            self.codes.extend(self.batch.arrivals.iter().map(|a| Code { top: a.top, inner: 0 }));
        }
        let slot = self.count;
        for (failure, path) in failed {
            if options.counts(&failure) {
                self.wrong.push(Wrong { slot, fault: Fault::Failure(failure), path });
            }
        }
        if self.moves.list.is_empty() && options.is_bad_end(machine, state) {
            self.wrong.push(Wrong { slot, fault: Fault::InvalidEndState, path: Vec::new() });
        }
    }

    /// Replaces arrivals at states inside `atomic` by those behind them.
    fn walk(&mut self, machine: &mut dyn Machine, failed: &mut Vec<Failed>) {
        struct Inner<'a> {
            batch: &'a mut Batch,
            codes: &'a mut Vec<Code>,
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
                self.codes.push(self.code);
                self.code.inner += 1;
            }
            fn fail(&mut self, failure: Failure, path: &[Move]) {
                self.failed.push((failure, path.to_vec()));
            }
            fn inner_step(&mut self) {
                *self.atomic_steps += 1;
            }
        }
        self.found.clear();
        std::mem::swap(&mut self.found, &mut self.batch.arrivals);
        let found = std::mem::take(&mut self.found);
        let mut start = std::mem::take(&mut self.batch.spare);
        for arrival in &found {
            if arrival.control == Control::Free {
                self.codes.push(Code { top: arrival.top, inner: 0 });
                self.batch.arrivals.push(*arrival);
                continue;
            }
            start.clear();
            start.extend_from_slice(self.batch.state(arrival));
            let first = self.batch.bytes.len() as u32;
            if machine.walk(&start, arrival.control, &mut self.batch.bytes, &mut self.ways) {
                self.add_ways(arrival, first);
                continue;
            }
            let mut sink = Inner {
                batch: &mut self.batch,
                codes: &mut self.codes,
                taken: &mut self.taken,
                failed,
                atomic_steps: &mut self.atomic_steps,
                code: Code { top: arrival.top, inner: 0 },
            };
            let mv = self.moves.list[arrival.top as usize];
            self.expander.walk(machine, &start, arrival.control, mv, &mut sink);
        }
        self.batch.spare = start;
        // The memory is used again.
        self.found = found;
    }

    /// Adds the ends of the ways behind an arrival, which stand from `first` on.
    fn add_ways(&mut self, arrival: &Arrival, first: u32) {
        self.ways.edges.iter().for_each(|edge| self.taken.mark(*edge));
        self.atomic_steps += self.ways.inner_steps;
        let top = arrival.top;
        for inner in 0..self.ways.count {
            let start = first + inner * self.ways.stride as u32;
            self.batch.arrivals.push(Arrival { start, control: Control::Free, ..*arrival });
            self.codes.push(Code { top, inner });
        }
    }

    /// Adds what was done to the outcome of the search.
    pub(crate) fn sum_up(&self, outcome: &mut Outcome) {
        outcome.states += self.states;
        outcome.matched += self.matched;
        outcome.state_bytes = outcome.state_bytes.max(self.longest as usize);
        outcome.stored_bytes += self.stored_bytes;
        outcome.atomic_steps += self.traces(&mut outcome.taken);
    }

    /// Marks the edges taken; the number of steps inside `atomic`.
    pub(crate) fn traces(&self, taken: &mut [bool]) -> u64 {
        taken.iter_mut().zip(&self.taken.0).for_each(|(to, from)| *to |= from);
        self.atomic_steps
    }
}
