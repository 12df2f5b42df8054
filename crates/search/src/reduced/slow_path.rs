//! The slow path: states whose moves are not preselected, because of failures, `atomic` sequences, or sets that must be grown.

use super::{BATCH, Reduced, Slot};
use crate::expand::Sink;
use crate::pipeline::{Extent, Receiver};
use crate::safety::{Fault, Options};
use crate::successors::Code;
use ferrospin_system::{Arrival, Control, Failure, Machine, Move, Offer, Span, holds, members};
use std::ops::Range;

/// Such a state.
#[derive(Default)]
pub(super) struct SlowState {
    /// Its moves, among those of the batch.
    pub(super) moves: Range<usize>,
    /// Failures while moves were computed.
    looking: Vec<Failure>,
    pub(super) offer: Offer,
    /// The state, where more sets of it may be needed.
    pub(super) state: Vec<u8>,
    /// Its part of the batch: where the bytes of its successors begin and how far they are apart, or its arrivals.
    bytes: (u32, u32),
    len: u32,
    arrivals: (u32, u32),
    failures: (u32, u32),
    bad_end: bool,
}

impl SlowState {
    /// Where the successor by a move stands, if all successors stand at equal distances.
    #[inline]
    pub(super) fn span(&self, top: u32) -> Option<Span> {
        let (first, stride) = self.bytes;
        (stride > 0).then(|| Span { start: first + top * stride, len: self.len })
    }
}

/// A failure behind a move, inside an `atomic`.
pub(super) struct Inside {
    slow: usize,
    top: u32,
    failure: Failure,
    path: Vec<Move>,
}

impl Reduced {
    /// The next one, to be filled.
    fn next_slow(&mut self) -> &mut SlowState {
        if self.slow.is_empty() {
            self.slow.resize_with(BATCH, SlowState::default);
        }
        let next = &mut self.slow[self.slow_count];
        next.looking.clear();
        (next.arrivals, next.failures, next.bad_end) = ((0, 0), (0, 0), false);
        next
    }

    /// Puts a state without failures on the slow path.
    pub(super) fn begin_slow(&mut self, slot: Slot) {
        let slow = self.next_slow();
        slow.moves = slot.moves.0 as usize..slot.moves.1 as usize;
        slow.bytes = (slot.bytes, slot.stride);
        slow.len = slot.len;
    }

    /// The same for one whose set was preselected, and is not enough.
    pub(super) fn reconsider(&mut self, slot: usize) -> usize {
        let (s, is_free) = (self.slots[slot], self.is_free(slot));
        self.write_codes(slot);
        self.begin_slow(s);
        let state = &self.kept[s.state as usize..][..s.len as usize];
        let slow = &mut self.slow[self.slow_count];
        slow.state.clear();
        slow.state.extend_from_slice(state);
        slow.offer.start(slow.moves.len());
        slow.offer.push_range(s.top as usize..(s.top + s.end - s.first) as usize, is_free);
        slow.offer.set_partial(1);
        self.slots[slot].slow = self.slow_count as u32;
        self.slow_count += 1;
        self.slow_count - 1
    }

    /// Expands a state by the general interface, unless that `is_done`.
    pub(super) fn expand_slow(&mut self, machine: &mut dyn Machine, options: &Options, state: &[u8], is_done: bool) {
        // Arrivals and failures of states before stay where they are.
        let (arrivals, failures) = (self.arrivals.len(), self.failures.len());
        if !is_done {
            machine.expand(state, &mut self.found, &mut self.batch);
        }
        self.arrivals.append(&mut self.batch.arrivals);
        self.failures.append(&mut self.batch.failures);
        let arrivals = (arrivals as u32, self.arrivals.len() as u32);
        let failures = (failures as u32, self.failures.len() as u32);
        let moves = self.moves.len()..self.moves.len() + self.found.list.len();
        self.found.list.iter().for_each(|mv| self.taken.note(mv));
        self.moves.extend_from_slice(&self.found.list);
        let looking = std::mem::take(&mut self.found.failures);
        let bad_end = moves.is_empty() && options.is_bad_end(machine, state);
        let slow = self.next_slow();
        (slow.moves, slow.bytes, slow.len) = (moves, (0, 0), state.len() as u32);
        (slow.arrivals, slow.failures, slow.bad_end) = (arrivals, failures, bad_end);
        slow.looking.extend_from_slice(&looking);
        self.found.failures = looking;
    }

    /// Chooses among the moves of the present state, and continues with the next one.
    pub(super) fn choose(&mut self, machine: &mut dyn Machine, state: &[u8], extent: Extent) {
        let slow = &mut self.slow[self.slow_count];
        let moves = &self.moves[slow.moves.clone()];
        let count = moves.len();
        // Also where there is nothing to choose: a reduction may have to see every state.
        self.reduction.offer(state, moves, &mut slow.offer);
        let mut chosen = !slow.offer.is_empty();
        let mut is_free = true;
        if extent == Extent::Completed {
            chosen = chosen && self.reduction.complete(state, moves, slow.offer.words(0), &mut self.members);
            self.reduced += u64::from(chosen);
            // Whatever is taken is enough.
            slow.offer.start(count);
        } else if chosen {
            is_free = slow.offer.is_free(0);
            self.members.clear();
            self.members.extend_from_slice(slow.offer.words(0));
            if !is_free {
                slow.state.clear();
                slow.state.extend_from_slice(state);
            }
        }
        let first = self.waiting.len() as u32;
        let number = self.slow_count;
        if chosen {
            let set = std::mem::take(&mut self.members);
            members(&set).for_each(|top| self.arrive_by(machine, number, top));
            self.members = set;
        } else {
            (0..count as u32).for_each(|top| self.arrive_by(machine, number, top));
        }
        let end = self.waiting.len() as u32;
        self.slots[self.count] = Slot { first, end, slow: number as u32, ..Slot::default() };
        self.ends[self.count] = end;
        self.owners.resize(end as usize, self.count as u8);
        self.chosen.add(self.count, chosen && extent == Extent::Offered);
        self.free.add(self.count, is_free);
        self.on_slow_path.add(self.count, true);
        self.slow_count += 1;
        self.count += 1;
    }

    /// Adds where a move leads to what waits.
    #[inline]
    pub(super) fn arrive_by(&mut self, machine: &mut dyn Machine, slow: usize, top: u32) {
        let c = &self.slow[slow];
        if let Some(span) = c.span(top) {
            self.add(span, Code { top, inner: 0 });
        } else {
            self.arrive_slow(machine, slow, top);
        }
    }

    #[inline]
    fn add(&mut self, span: Span, code: Code) {
        self.codes.resize(self.waiting.len(), Code::default());
        self.waiting.push(span);
        self.codes.push(code);
    }

    /// The same where something is out of the ordinary at the state.
    fn arrive_slow(&mut self, machine: &mut dyn Machine, slow: usize, top: u32) {
        struct Inner<'a> {
            to: &'a mut Reduced,
            slow: usize,
            code: Code,
        }
        impl Sink for Inner<'_> {
            fn arrive(&mut self, state: &[u8], path: &[Move]) {
                path.iter().for_each(|m| self.to.taken.note(m));
                let start = u32::try_from(self.to.batch.bytes.len()).expect("a batch stays below 4 GiB");
                self.to.batch.bytes.extend_from_slice(state);
                self.to.add(Span { start, len: state.len() as u32 }, self.code);
                self.code.inner += 1;
            }
            fn fail(&mut self, failure: Failure, path: &[Move]) {
                let (slow, top) = (self.slow, self.code.top);
                self.to.inside.push(Inside { slow, top, failure, path: path.to_vec() });
            }
            fn inner_step(&mut self) {
                self.to.atomic_steps += 1;
            }
        }
        let mv = self.moves[self.slow[slow].moves.start + top as usize];
        let (from, to) = self.slow[slow].arrivals;
        for i in from..to {
            let arrival = self.arrivals[i as usize];
            if arrival.top != top {
                continue;
            }
            if arrival.control == Control::Free {
                self.add(arrival.span(), Code { top, inner: 0 });
                continue;
            }
            let mut start = std::mem::take(&mut self.inner);
            start.clear();
            start.extend_from_slice(self.batch.state(&arrival));
            let first = self.batch.bytes.len() as u32;
            if machine.walk(&start, arrival.control, &mut self.batch.bytes, &mut self.ways) {
                self.ways.edges.iter().for_each(|edge| self.taken.mark(*edge));
                self.atomic_steps += self.ways.inner_steps;
                let (stride, len) = (self.ways.stride as u32, arrival.len);
                for inner in 0..self.ways.count {
                    self.add(Span { start: first + inner * stride, len }, Code { top, inner });
                }
                self.inner = start;
                continue;
            }
            let mut expander = std::mem::take(&mut self.expander);
            let mut sink = Inner { to: self, slow, code: Code { top, inner: 0 } };
            expander.walk(machine, &start, arrival.control, mv, &mut sink);
            (self.expander, self.inner) = (expander, start);
        }
    }

    /// Counts a state whose first set is enough.
    pub(super) fn note_careful(&mut self, slow: usize, is_reduced: bool) {
        let offer = &self.slow[slow].offer;
        let is_costly = offer.is_costly();
        let set = if is_reduced { offer.words(0)[0] } else { 0 };
        self.note_set(slow, is_reduced.then_some(set), is_costly);
    }

    /// Takes note of a state, and of what was left out at it where there is a set, which begins with these bits.
    pub(super) fn note_set(&mut self, slow: usize, set: Option<u64>, is_costly: bool) {
        self.costly.attempts += u64::from(is_costly);
        self.trial.attempts += u64::from(self.is_on_trial);
        let Some(set) = set else { return };
        self.costly.sets += u64::from(is_costly);
        self.trial.sets += u64::from(self.is_on_trial);
        if is_costly || self.is_on_trial {
            self.sample(slow, set, is_costly);
        }
    }

    /// Keeps a successor that was left out, of the set that begins with these bits, to see what becomes of it. Which one
    /// that is must not depend on the way in which the state was expanded.
    fn sample(&mut self, slow: usize, set: u64, is_costly: bool) {
        let c = &self.slow[slow];
        let top = set.trailing_ones();
        if top as usize >= c.moves.len().min(64) {
            return;
        }
        let listed = || {
            let mut arrivals = self.arrivals[c.arrivals.0 as usize..c.arrivals.1 as usize].iter();
            arrivals.find(|a| a.top == top && a.control == Control::Free).map(Arrival::span)
        };
        let Some(span) = c.span(top).or_else(listed) else { return };
        let state = span.state(&self.batch.bytes);
        let hash = self.hash.of(state);
        if is_costly {
            self.costly.offer(hash, state);
        }
        if self.is_on_trial {
            self.trial.offer(hash, state);
        }
    }

    pub(super) fn is_odd(&self, slow: usize) -> bool {
        let c = &self.slow[slow];
        c.bad_end || c.failures.0 < c.failures.1 || !c.looking.is_empty() || !self.inside.is_empty()
    }

    /// Tells what went wrong at a state, as far as it belongs to the set that is taken; all moves without one.
    #[cold]
    pub(super) fn tell(&mut self, slow: usize, set: Option<&[u64]>, options: &Options, receiver: &mut impl Receiver) {
        let is_taken = |top: u32| set.is_none_or(|set| holds(set, top));
        let c = &self.slow[slow];
        let mut tell = |failure: Failure, path: Vec<Move>| {
            if options.counts(&failure) {
                receiver.violate(Fault::Failure(failure), path);
            }
        };
        c.looking.iter().for_each(|f| tell(*f, Vec::new()));
        for (top, f) in &self.failures[c.failures.0 as usize..c.failures.1 as usize] {
            if is_taken(*top) {
                tell(*f, vec![self.moves[c.moves.start + *top as usize]]);
            }
        }
        for inside in self.inside.extract_if(.., |i| i.slow == slow) {
            if is_taken(inside.top) {
                tell(inside.failure, inside.path);
            }
        }
        if c.bad_end {
            receiver.violate(Fault::InvalidEndState, Vec::new());
        }
    }
}
