//! States whose moves are not preselected: something is out of the ordinary at them, or the reduction must be asked.

use super::{BATCH, Reduced, Slot};
use crate::expand::Sink;
use crate::safety::{Fault, Options};
use crate::successors::Code;
use crate::worker::{Extent, Receiver};
use ferrospin_system::{Arrival, Control, Failure, Machine, Move, Offer, Span, holds, members};
use std::ops::Range;

/// What is known of such a state.
#[derive(Default)]
pub(super) struct Careful {
    /// Its moves, among those of the batch.
    pub(super) moves: Range<usize>,
    /// What went wrong while looking for moves.
    looking: Vec<Failure>,
    pub(super) offer: Offer,
    /// The state, where there may be more to ask about it.
    pub(super) state: Vec<u8>,
    /// What of the batch belongs to it: bytes that stand so far apart from there on, or arrivals.
    bytes: (u32, u32),
    len: u32,
    arrivals: (u32, u32),
    failures: (u32, u32),
    bad_end: bool,
}

impl Careful {
    /// Where the successor by a move stands, where nothing is out of the ordinary at the state.
    #[inline]
    pub(super) fn span(&self, top: u32) -> Option<Span> {
        let (first, stride) = self.bytes;
        (stride > 0).then(|| Span { start: first + top * stride, len: self.len })
    }
}

/// What went wrong behind a move, inside an `atomic`.
pub(super) struct Inside {
    careful: usize,
    top: u32,
    failure: Failure,
    path: Vec<Move>,
}

impl Reduced {
    /// The next one, to be filled.
    fn next_careful(&mut self) -> &mut Careful {
        if self.careful.is_empty() {
            self.careful.resize_with(BATCH, Careful::default);
        }
        let next = &mut self.careful[self.careful_count];
        next.looking.clear();
        (next.arrivals, next.failures, next.bad_end) = ((0, 0), (0, 0), false);
        next
    }

    /// Looks with care at an ordinary state.
    pub(super) fn take_care(&mut self, slot: Slot) {
        let careful = self.next_careful();
        careful.moves = slot.moves.0 as usize..slot.moves.1 as usize;
        careful.bytes = (slot.bytes, slot.stride);
        careful.len = slot.len;
    }

    /// The same for one whose set was preselected, and is not enough.
    pub(super) fn reconsider(&mut self, slot: usize) -> usize {
        let (s, is_free) = (self.slots[slot], self.is_free(slot));
        self.write_codes(slot);
        self.take_care(s);
        let state = &self.kept[s.state as usize..][..s.len as usize];
        let careful = &mut self.careful[self.careful_count];
        careful.state.clear();
        careful.state.extend_from_slice(state);
        careful.offer.start(careful.moves.len());
        careful.offer.push_range(s.top as usize..(s.top + s.end - s.first) as usize, is_free);
        careful.offer.set_partial(1);
        self.slots[slot].careful = self.careful_count as u32;
        self.careful_count += 1;
        self.careful_count - 1
    }

    /// Expands a state at which something is out of the ordinary, unless that `is_done`.
    pub(super) fn expand_oddly(&mut self, machine: &mut dyn Machine, options: &Options, state: &[u8], is_done: bool) {
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
        let careful = self.next_careful();
        (careful.moves, careful.bytes, careful.len) = (moves, (0, 0), state.len() as u32);
        (careful.arrivals, careful.failures, careful.bad_end) = (arrivals, failures, bad_end);
        careful.looking.extend_from_slice(&looking);
        self.found.failures = looking;
    }

    /// Chooses among the moves of the state that is being looked at, and goes on to the next one.
    pub(super) fn choose(&mut self, machine: &mut dyn Machine, state: &[u8], extent: Extent) {
        let careful = &mut self.careful[self.careful_count];
        let moves = &self.moves[careful.moves.clone()];
        let count = moves.len();
        // Also where there is nothing to choose: a reduction may have to see every state.
        self.reduction.offer(state, moves, &mut careful.offer);
        let mut chosen = !careful.offer.is_empty();
        let mut is_free = true;
        if extent == Extent::Completed {
            chosen = chosen && self.reduction.complete(state, moves, careful.offer.words(0), &mut self.members);
            self.reduced += u64::from(chosen);
            // Whatever is taken is enough.
            careful.offer.start(count);
        } else if chosen {
            is_free = careful.offer.is_free(0);
            self.members.clear();
            self.members.extend_from_slice(careful.offer.words(0));
            if !is_free {
                careful.state.clear();
                careful.state.extend_from_slice(state);
            }
        }
        let first = self.waiting.len() as u32;
        let number = self.careful_count;
        if chosen {
            let set = std::mem::take(&mut self.members);
            members(&set).for_each(|top| self.arrive_by(machine, number, top));
            self.members = set;
        } else {
            (0..count as u32).for_each(|top| self.arrive_by(machine, number, top));
        }
        let end = self.waiting.len() as u32;
        self.slots[self.count] = Slot { first, end, careful: number as u32, ..Slot::default() };
        self.ends[self.count] = end;
        self.owners.resize(end as usize, self.count as u8);
        self.chosen.add(self.count, chosen && extent == Extent::Offered);
        self.free.add(self.count, is_free);
        self.odd.add(self.count, true);
        self.careful_count += 1;
        self.count += 1;
    }

    /// Adds where a move leads to what waits.
    #[inline]
    pub(super) fn arrive_by(&mut self, machine: &mut dyn Machine, careful: usize, top: u32) {
        let c = &self.careful[careful];
        if let Some(span) = c.span(top) {
            self.add(span, Code { top, inner: 0 });
        } else {
            self.arrive_oddly(machine, careful, top);
        }
    }

    #[inline]
    fn add(&mut self, span: Span, code: Code) {
        self.codes.resize(self.waiting.len(), Code::default());
        self.waiting.push(span);
        self.codes.push(code);
    }

    /// The same where something is out of the ordinary at the state.
    fn arrive_oddly(&mut self, machine: &mut dyn Machine, careful: usize, top: u32) {
        struct Inner<'a> {
            to: &'a mut Reduced,
            careful: usize,
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
                let (careful, top) = (self.careful, self.code.top);
                self.to.inside.push(Inside { careful, top, failure, path: path.to_vec() });
            }
            fn inner_step(&mut self) {
                self.to.atomic_steps += 1;
            }
        }
        let mv = self.moves[self.careful[careful].moves.start + top as usize];
        let (from, to) = self.careful[careful].arrivals;
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
            let mut sink = Inner { to: self, careful, code: Code { top, inner: 0 } };
            expander.walk(machine, &start, arrival.control, mv, &mut sink);
            (self.expander, self.inner) = (expander, start);
        }
    }

    /// Counts a state whose first set is enough.
    pub(super) fn note_careful(&mut self, careful: usize, is_reduced: bool) {
        let offer = &self.careful[careful].offer;
        let is_costly = offer.is_costly();
        let set = if is_reduced { offer.words(0)[0] } else { 0 };
        self.note_set(careful, is_reduced.then_some(set), is_costly);
    }

    /// Takes note of a state, and of what was left out at it where there is a set, which begins with these bits.
    pub(super) fn note_set(&mut self, careful: usize, set: Option<u64>, is_costly: bool) {
        self.dear.efforts += u64::from(is_costly);
        self.trial.efforts += u64::from(self.is_on_trial);
        let Some(set) = set else { return };
        self.dear.sets += u64::from(is_costly);
        self.trial.sets += u64::from(self.is_on_trial);
        if is_costly || self.is_on_trial {
            self.sample(careful, set, is_costly);
        }
    }

    /// Keeps a successor that was left out, of the set that begins with these bits, to see what becomes of it. Which one
    /// that is must not depend on the way in which the state was expanded.
    fn sample(&mut self, careful: usize, set: u64, is_costly: bool) {
        let c = &self.careful[careful];
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
            self.dear.offer(hash, state);
        }
        if self.is_on_trial {
            self.trial.offer(hash, state);
        }
    }

    pub(super) fn is_odd(&self, careful: usize) -> bool {
        let c = &self.careful[careful];
        c.bad_end || c.failures.0 < c.failures.1 || !c.looking.is_empty() || !self.inside.is_empty()
    }

    /// Tells what went wrong at a state, as far as it belongs to the set that is taken; all moves without one.
    #[cold]
    pub(super) fn tell(
        &mut self,
        careful: usize,
        set: Option<&[u64]>,
        options: &Options,
        receiver: &mut impl Receiver,
    ) {
        let is_taken = |top: u32| set.is_none_or(|set| holds(set, top));
        let c = &self.careful[careful];
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
        for inside in self.inside.extract_if(.., |i| i.careful == careful) {
            if is_taken(inside.top) {
                tell(inside.failure, inside.path);
            }
        }
        if c.bad_end {
            receiver.violate(Fault::InvalidEndState, Vec::new());
        }
    }
}
