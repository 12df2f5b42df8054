//! The expansion pipeline of a worker: find the moves of a state, let the reduction choose, take them, put the successors
//! into the store, and report violations.
//!
//! The order of the search stays outside: the search passes states in and receives new ones. States are processed in batches:
//! first [`Pipeline::expand`] for each, which takes moves and prefetches; then [`Pipeline::commit`], which uses the store.

use crate::plain::Plain;
use crate::profiler::{Effort, Samples};
pub(crate) use crate::reduced::Proviso;
use crate::reduced::{self, Bits, CommitContext, Reduced};
use crate::safety::{Fault, Options, Outcome, ProvisoKind};
use crate::successors::Code;
use ferrospin_system::{Fresh, Handle, Machine, Move, Reduction, Span, StateHash};

/// An executor that can go to another thread.
pub type BoxMachine = Box<dyn Machine + Send>;

/// How many states are expanded together, where there is no reduction.
pub(crate) const BATCH: usize = 256;

/// How many moves of a state are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// The best set that passes the proviso.
    Offered,
    /// A set that needs no proviso.
    Completed,
}

/// Which state each successor belongs to, where moves and successors have the same numbers.
#[derive(Clone, Copy)]
pub(crate) struct Origins<'a> {
    /// By state, where its successors end among all, and where they would begin if all its moves were taken.
    pub(crate) ends: &'a [u32],
    pub(crate) bases: &'a [u32],
    /// By successor, the state that it belongs to, counted from `first` on, unless that was not written down.
    pub(crate) owners: &'a [u8],
    pub(crate) first: usize,
}

impl Origins<'_> {
    /// The state that a successor belongs to, which is not before another one.
    #[inline(always)]
    pub(crate) fn state(&self, index: u32, mut from: usize) -> usize {
        if let Some(owner) = self.owners.get(index as usize) {
            return usize::from(*owner) - self.first;
        }
        while self.ends[from] <= index {
            from += 1;
        }
        from
    }
}

/// Receives the store's answers about the successors of a batch, state by state in order.
pub(crate) trait Receiver {
    /// A successor that is new.
    fn arrive(&mut self, number: u64, state: &[u8], code: Code);
    /// What is new of some states, where nothing is out of the ordinary.
    #[inline]
    fn arrive_all(&mut self, fresh: &[Fresh], origins: Origins<'_>, spans: &[Span], bytes: &[u8]) {
        let mut slot = 0;
        for &Fresh { index, number } in fresh {
            let before = slot;
            slot = origins.state(index, before);
            self.pass(slot - before);
            let code = Code { top: index.wrapping_sub(origins.bases[slot]), inner: 0 };
            self.arrive(number, spans[index as usize].state(bytes), code);
        }
        self.pass(origins.ends.len() - slot);
    }
    /// Something went wrong, at the end of this path.
    fn violate(&mut self, fault: Fault, path: Vec<Move>);
    /// No more successors of the next `states` states: the one behind them follows.
    fn pass(&mut self, states: usize);
}

/// How many states of one length these are; there is one at least, which may be empty.
#[inline]
pub(crate) fn count_of(states: &[u8], len: usize) -> usize {
    states.len().checked_div(len).unwrap_or(1)
}

/// The store has no room.
#[derive(Debug)]
pub(crate) struct Full;

/// The pipeline of one worker.
pub(crate) struct Pipeline {
    pub(crate) machine: BoxMachine,
    options: Options,
    /// The path without a reduction.
    plain: Plain,
    /// The path with a reduction, as long as it pays off.
    reduced: Option<Reduced>,
    /// Whether the reduction turned out to be useless and is not used any more.
    rests: bool,
}

impl Pipeline {
    pub(crate) fn new(
        machine: BoxMachine,
        reduction: Option<Box<dyn Reduction>>,
        options: &Options,
        hash: StateHash,
        edges: usize,
    ) -> Self {
        Pipeline {
            machine,
            options: options.clone(),
            plain: Plain::new(hash, edges),
            reduced: reduction.map(|reduction| Reduced::new(reduction, hash, edges)),
            rests: false,
        }
    }

    /// How many states are expanded together at most.
    pub(crate) fn batch(&self) -> usize {
        if self.reduced.is_some() && !self.rests { reduced::BATCH } else { BATCH }
    }

    /// First half, for some states of the batch: of `len` bytes, one behind the other.
    #[inline]
    pub(crate) fn expand(&mut self, states: &[u8], len: usize, extent: Extent) {
        match self.reduced.as_mut().filter(|_| !self.rests) {
            None => self.plain.expand(&mut *self.machine, &self.options, states, len),
            Some(reduced) => reduced.expand(&mut *self.machine, &self.options, states, len, extent),
        }
    }

    /// Second half, for all states of the batch.
    pub(crate) fn commit<H: Handle>(
        &mut self,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
    ) -> Result<(), Full> {
        match self.reduced.as_mut().filter(|_| !self.rests) {
            None => self.plain.commit(handle, receiver),
            Some(reduced) => {
                let (machine, options) = (&mut *self.machine, &self.options);
                reduced.commit(CommitContext { machine, options, handle, proviso, receiver })
            }
        }
    }

    /// Which states of the batch that was committed last are complete: enough is taken at them, or behind them at
    /// states that were complete before.
    pub(crate) fn completed(&self) -> Bits {
        self.reduced.as_ref().map_or(Bits::default(), |r| r.completed)
    }

    /// Stored states, and arrivals at stored ones.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let reduced = self.reduced.as_ref().map_or((0, 0), |r| (r.states, r.matched));
        (self.plain.states + reduced.0, self.plain.matched + reduced.1)
    }

    /// Begins a level of this many states, with this effort for a reduction, which may have been judged already.
    pub(crate) fn begin_level(&mut self, depth: u64, states: u64, effort: Effort, is_judged: bool) {
        let Some(reduced) = &mut self.reduced else { return };
        reduced.begin_level(depth, states, is_judged);
        if effort >= Effort::SinglesOnly {
            reduced.restrict_to_singles();
        }
        if effort == Effort::None {
            self.rest();
        }
    }

    /// Takes all moves from now on, if that is allowed: a proviso that was requested explicitly stays in effect at
    /// work.
    fn rest(&mut self) {
        let is_dispensable = self.reduced.as_ref().is_some_and(Reduced::is_dispensable);
        self.rests |= is_dispensable && self.options.proviso == ProvisoKind::Auto;
    }

    /// Whether a reduction still chooses among moves.
    pub(crate) fn reduces(&self) -> bool {
        self.reduced.is_some() && !self.rests
    }

    /// Samples of what the reduction has left out: by costly sets, and by all sets.
    pub(crate) fn take_samples(&mut self) -> [Samples; 2] {
        self.reduced.as_mut().map(Reduced::take_samples).unwrap_or_default()
    }

    /// Sets the first budget of a reduction.
    pub(crate) fn set_budget(&mut self, edges: u64) {
        self.reduced.iter_mut().for_each(|r| r.set_budget(edges));
    }

    /// Sets the budget of a reduction by what it has turned out to be worth, for this many expansions.
    pub(crate) fn weigh(&mut self, handle: &impl Handle, expansions: u64) {
        if let Some(reduced) = self.reduced.as_mut().filter(|_| !self.rests)
            && reduced.weigh(handle, expansions, self.options.patience)
        {
            self.rest();
        }
    }

    /// Adds what this worker has done to the outcome of the search.
    pub(crate) fn sum_up(&self, outcome: &mut Outcome) {
        self.plain.sum_up(outcome);
        self.reduced.iter().for_each(|r| r.sum_up(outcome));
    }

    /// Edges taken and steps inside `atomic`, for a checkpoint.
    pub(crate) fn traces(&self, taken: &mut [bool]) -> u64 {
        let plainly = self.plain.traces(taken);
        plainly + self.reduced.as_ref().map_or(0, |r| r.traces(taken))
    }
}
