//! What every worker of a search for safety does with a state: find its moves, let the reduction choose, take them, ask
//! the store, and take note of what went wrong.
//!
//! The order of the search stays outside: it hands states in and hears of new ones. States go through in batches: first
//! [`Bench::expand`] for each, which takes moves and prefetches; then [`Bench::settle`], which asks the store.

use crate::plain::Plain;
use crate::safety::{Fault, Options, Outcome};
use crate::successors::{Code, Failed, Successors};
use crate::tags::Tags;
use ferrospin_system::{Control, Found, Fresh, Handle, Machine, Move, Moves, Offer, Reduction, Span, StateHash};

/// An executor that can go to another thread.
pub type BoxMachine = Box<dyn Machine + Send>;

/// How many states are expanded together.
pub(crate) const BATCH: usize = 16;

/// How a reduced set of moves proves that it is enough.
pub(crate) enum Proviso<'a> {
    /// One of its successors belongs to the level that is being made, whose number stands beside.
    Level(&'a Tags, u64),
    /// The same, but what waits in the level that is being expanded counts as well.
    Queue(&'a Tags, u64),
    /// One of its successors is new: it will be expanded later.
    New,
    /// One of its successors, or all of them, are new or done with; by number, which states are done with.
    Path { done: &'a [bool], all: bool },
    /// The search sees to it later that some state behind takes all moves.
    Later,
}

/// How many moves of a state are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// The best set that passes the proviso.
    Offered,
    /// A set that needs no proviso.
    Completed,
}

/// What the store says of the successors of the states of a batch, state by state in order.
pub(crate) trait Receiver {
    /// A successor that is new.
    fn arrive(&mut self, number: u64, state: &[u8], code: Code);
    /// What is new of a batch, where nothing is out of the ordinary: moves and successors of each state are numbered alike.
    /// By state, where its successors end among all.
    #[inline]
    fn arrive_all(&mut self, fresh: &[Fresh], ends: &[u32], spans: &[Span], bytes: &[u8]) {
        let (mut slot, mut start) = (0, 0);
        for &Fresh { index, number } in fresh {
            while ends[slot] <= index {
                start = ends[slot];
                slot += 1;
                self.pass(1);
            }
            self.arrive(number, spans[index as usize].state(bytes), Code { top: index - start, inner: 0 });
        }
        self.pass(ends.len() - slot);
    }
    /// A successor that was there.
    #[inline]
    fn meet(&mut self, number: u64) {
        let _ = number;
    }
    /// Something went wrong, at the end of this path.
    fn violate(&mut self, fault: Fault, path: Vec<Move>);
    /// No more successors of the next so many states: the one behind them follows.
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

/// A state in the middle of its expansion.
#[derive(Default)]
struct Slot {
    moves: Moves,
    /// What went wrong with the moves that were taken.
    failed: Vec<Failed>,
    /// Its successors end here in the list.
    end: usize,
    bad_end: bool,
    /// Only with a reduction: what it offers, and the state.
    offer: Offer,
    state: Vec<u8>,
}

impl Slot {
    /// Tells what went wrong.
    #[cold]
    fn tell(&mut self, options: &Options, receiver: &mut impl Receiver) {
        let looking = self.moves.failures.iter().map(|f| (*f, Vec::new()));
        for (failure, path) in looking.chain(self.failed.drain(..)) {
            if options.counts(&failure) {
                receiver.violate(Fault::Failure(failure), path);
            }
        }
        if self.bad_end {
            receiver.violate(Fault::InvalidEndState, Vec::new());
        }
    }
}

/// Where a worker expands states.
pub(crate) struct Bench {
    pub(crate) machine: BoxMachine,
    /// Does the work where there is no reduction.
    plain: Plain,
    reduction: Option<Box<dyn Reduction>>,
    options: Options,
    successors: Successors,
    slots: Vec<Slot>,
    count: usize,
    /// Successors by sets that are tried behind the first.
    again: Successors,
    /// A set in the making.
    members: Vec<u32>,
    states: u64,
    matched: u64,
    state_bytes: usize,
    stored_bytes: u64,
    /// Expansions with fewer than all moves.
    reduced: u64,
}

impl Bench {
    pub(crate) fn new(
        machine: BoxMachine,
        reduction: Option<Box<dyn Reduction>>,
        options: &Options,
        hash: StateHash,
        edges: usize,
    ) -> Self {
        Bench {
            machine,
            plain: Plain::new(hash, edges),
            reduction,
            options: options.clone(),
            successors: Successors::new(hash, edges),
            slots: (0..BATCH).map(|_| Slot::default()).collect(),
            count: 0,
            again: Successors::new(hash, edges),
            members: Vec::new(),
            states: 0,
            matched: 0,
            state_bytes: 0,
            stored_bytes: 0,
            reduced: 0,
        }
    }

    /// First half, for some states of the batch: of `len` bytes, one behind the other.
    #[inline]
    pub(crate) fn expand(&mut self, handle: &impl Handle, states: &[u8], len: usize, extent: Extent) {
        if self.reduction.is_none() {
            self.plain.expand(&mut *self.machine, &self.options, states, len);
        } else {
            (0..count_of(states, len)).for_each(|i| self.expand_reduced(handle, &states[i * len..][..len], extent));
        }
    }

    fn expand_reduced(&mut self, handle: &impl Handle, state: &[u8], extent: Extent) {
        if self.count == 0 {
            self.successors.clear();
        }
        let slot = &mut self.slots[self.count];
        self.count += 1;
        slot.failed.clear();
        slot.offer.clear();
        let first = self.successors.list.len();
        let machine = &mut *self.machine;
        machine.moves(state, Control::Free, &mut slot.moves);
        let count = slot.moves.list.len() as u32;
        // Also where there is nothing to choose: a reduction may have to see every state.
        if let Some(reduction) = &mut self.reduction {
            reduction.offer(state, &slot.moves.list, &mut slot.offer);
        }
        if !slot.offer.is_empty() {
            slot.state.clear();
            slot.state.extend_from_slice(state);
        }
        if extent == Extent::Completed && Self::completed(&mut self.reduction, slot, &mut self.members) {
            let members = (0..count).filter(|top| self.members.contains(top));
            self.successors.take(machine, state, &slot.moves, members, &mut slot.failed);
            slot.offer.clear();
        } else if slot.offer.is_empty() || extent == Extent::Completed {
            self.successors.take(machine, state, &slot.moves, 0..count, &mut slot.failed);
            slot.offer.clear();
        } else {
            let set = slot.offer.set(0).iter().copied();
            self.successors.take(machine, state, &slot.moves, set, &mut slot.failed);
        }
        slot.bad_end = slot.moves.list.is_empty() && self.options.is_bad_end(machine.marks(state));
        slot.end = self.successors.list.len();
        for s in &self.successors.list[first..] {
            handle.prefetch(s.hash);
        }
    }

    /// Second half, for all states of the batch.
    pub(crate) fn settle<H: Handle>(
        &mut self,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
    ) -> Result<(), Full> {
        if self.reduction.is_none() {
            return self.plain.settle(handle, receiver);
        }
        // Another look at each, now that the first prefetch has come: what it leads to is fetched in turn.
        for s in &self.successors.list {
            handle.approach(self.successors.state(s), s.hash);
        }
        let mut start = 0;
        for i in 0..std::mem::take(&mut self.count) {
            let end = self.slots[i].end;
            let (matched, states) = (self.matched, self.states);
            let is_free = self.slots[i].offer.is_empty() || self.slots[i].offer.is_free(0);
            let enough = if is_free || self.leaves_path(handle, proviso, start..end) {
                self.store(handle, proviso, receiver, start..end)?
            } else {
                false
            };
            start = end;
            let slot = &self.slots[i];
            if !slot.offer.is_empty() {
                if enough || slot.offer.is_free(0) || matches!(proviso, Proviso::Later) {
                    self.reduced += 1;
                } else {
                    self.matched = matched;
                    debug_assert_eq!(self.states, states, "what is new is enough");
                    self.try_others(i, handle, proviso, receiver)?;
                }
            }
            let slot = &mut self.slots[i];
            if slot.bad_end || !slot.failed.is_empty() || !slot.moves.failures.is_empty() {
                slot.tell(&self.options, receiver);
            }
            receiver.pass(1);
        }
        Ok(())
    }

    /// Whether a proviso that looks at the path holds for a stretch of the successors, before they are stored: a set
    /// that is refused must not leave states behind. Other provisos are tested with the storing.
    #[inline]
    fn leaves_path<H: Handle>(&self, handle: &H, proviso: &Proviso<'_>, range: std::ops::Range<usize>) -> bool {
        let Proviso::Path { done, all } = proviso else { return true };
        let mut leaves = self.successors.list[range].iter().map(|s| {
            let number = handle.find(self.successors.state(s), s.hash);
            number.is_none_or(|n| done.get(n as usize).copied().unwrap_or(false))
        });
        if *all { leaves.all(|l| l) } else { leaves.any(|l| l) }
    }

    /// Asks the store for a stretch of the successors; whether the proviso holds.
    #[inline]
    fn store<H: Handle>(
        &mut self,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
        range: std::ops::Range<usize>,
    ) -> Result<bool, Full> {
        let mut enough = false;
        for s in &self.successors.list[range] {
            let state = self.successors.state(s);
            let (found, is_open) = match proviso {
                Proviso::Level(tags, level) => tags.put(handle, state, s.hash, *level),
                Proviso::Queue(tags, level) => tags.put_queued(handle, state, s.hash, *level),
                Proviso::Path { .. } => (handle.put(state, s.hash), true),
                _ => {
                    let found = handle.put(state, s.hash);
                    (found, matches!(found, Found::New(_)))
                }
            };
            enough |= is_open;
            match found {
                Found::New(number) => {
                    self.states += 1;
                    self.state_bytes = self.state_bytes.max(state.len());
                    self.stored_bytes += state.len() as u64;
                    receiver.arrive(number, state, s.code);
                }
                Found::Seen(number) => {
                    self.matched += 1;
                    receiver.meet(number);
                }
                Found::Full => return Err(Full),
            }
        }
        Ok(enough)
    }

    /// The first set that was offered is not enough: tries the others, and all moves in the end.
    #[cold]
    fn try_others<H: Handle>(
        &mut self,
        i: usize,
        handle: &mut H,
        proviso: &Proviso<'_>,
        receiver: &mut impl Receiver,
    ) -> Result<(), Full> {
        let mut slot = std::mem::take(&mut self.slots[i]);
        std::mem::swap(&mut self.successors, &mut self.again);
        let mut result = Ok(());
        let mut first = 1;
        if let Some(reduction) = self.reduction.as_mut().filter(|_| slot.offer.is_partial()) {
            reduction.offer_more(&slot.state, &slot.moves.list, &mut slot.offer);
            first = 0;
        }
        for set in first..=slot.offer.len() {
            let last = set == slot.offer.len();
            self.successors.clear();
            slot.failed.clear();
            let matched = self.matched;
            let count = slot.moves.list.len() as u32;
            if last {
                let set = Self::completed(&mut self.reduction, &slot, &mut self.members);
                self.reduced += u64::from(set);
                let members = (0..count).filter(|top| !set || self.members.contains(top));
                self.successors.take(&mut *self.machine, &slot.state, &slot.moves, members, &mut slot.failed);
            } else {
                let members = slot.offer.set(set).iter().copied();
                self.successors.take(&mut *self.machine, &slot.state, &slot.moves, members, &mut slot.failed);
            }
            let range = 0..self.successors.list.len();
            if !last && !slot.offer.is_free(set) && !self.leaves_path(handle, proviso, range.clone()) {
                continue;
            }
            match self.store(handle, proviso, receiver, range) {
                Ok(enough) if enough || last || slot.offer.is_free(set) => {
                    self.reduced += u64::from(!last);
                    break;
                }
                Ok(_) => self.matched = matched,
                Err(full) => {
                    result = Err(full);
                    break;
                }
            }
        }
        std::mem::swap(&mut self.successors, &mut self.again);
        self.slots[i] = slot;
        result
    }

    /// Completes the best set of a slot to one that needs no proviso; whether that is fewer than all moves.
    fn completed(reduction: &mut Option<Box<dyn Reduction>>, slot: &Slot, members: &mut Vec<u32>) -> bool {
        members.clear();
        let Some(reduction) = reduction else { return false };
        !slot.offer.is_empty() && reduction.complete(&slot.state, &slot.moves.list, slot.offer.set(0), members)
    }

    /// Stored states, and arrivals at stored ones.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.states + self.plain.states, self.matched + self.plain.matched)
    }

    /// Whether the state expanded last left moves out, though the set it took is not known to be enough by itself.
    pub(crate) fn owes(&self) -> bool {
        let offer = &self.slots[0].offer;
        !offer.is_empty() && !offer.is_free(0)
    }

    /// Adds what this worker has done to the outcome of the search.
    pub(crate) fn sum_up(&self, outcome: &mut Outcome) {
        self.plain.sum_up(outcome);
        outcome.states += self.states;
        outcome.matched += self.matched;
        outcome.reduced += self.reduced;
        outcome.state_bytes = outcome.state_bytes.max(self.state_bytes);
        outcome.stored_bytes += self.stored_bytes;
        for s in [&self.successors, &self.again] {
            outcome.atomic_steps += s.atomic_steps;
            for (to, from) in outcome.taken.iter_mut().zip(&s.taken.0) {
                *to |= from;
            }
        }
    }

    /// Edges taken and steps inside `atomic`, for a checkpoint.
    pub(crate) fn traces(&self, taken: &mut [bool]) -> u64 {
        let plainly = self.plain.traces(taken);
        for s in [&self.successors, &self.again] {
            taken.iter_mut().zip(&s.taken.0).for_each(|(to, from)| *to |= from);
        }
        plainly + self.successors.atomic_steps + self.again.atomic_steps
    }
}
