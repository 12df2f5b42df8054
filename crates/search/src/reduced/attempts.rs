//! What follows where the first set of a state is not enough: other sets, and in the end one that needs no proviso.

use super::proviso::Enough;
use super::{Bits, CommitContext, PRESELECTED, Proviso, Reduced};
use crate::pipeline::{Full, Receiver};
use crate::safety::Options;
use ferrospin_system::{Found, Handle, Machine, holds, members};
use std::ops::Range;

/// Where the successors by one move stand among those that wait.
#[derive(Clone)]
pub(super) struct Attempt {
    top: u32,
    range: Range<usize>,
    /// Whether the store has answered.
    asked: bool,
}

impl Reduced {
    /// Prefetches what may be looked up next, because a set was not enough.
    pub(super) fn prefetch_others(&mut self, handle: &impl Handle, slot: usize) {
        if self.slots[slot].slow == PRESELECTED {
            self.reconsider(slot);
        }
        let slow = &self.slow[self.slots[slot].slow as usize];
        let others = (0..slow.moves.len() as u32).filter(|top| !holds(slow.offer.words(0), *top));
        for span in others.map_while(|top| slow.span(top)) {
            handle.prefetch(self.hash.of(span.state(&self.batch.bytes)));
        }
    }

    /// Finds the states at which no other set can be enough, as far as that is visible without the store, and puts all their
    /// other successors at once.
    #[cold]
    pub(super) fn take_whole<H: Handle>(
        &mut self,
        machine: &mut dyn Machine,
        handle: &mut H,
        proviso: &Proviso<'_>,
        wanting: Bits,
    ) -> Result<(), Full> {
        let first = self.waiting.len();
        for slot in wanting.slots() {
            if !self.on_slow_path.has(slot) {
                self.unfold(slot);
                self.reconsider(slot);
            }
            let slow = self.slots[slot].slow as usize;
            if !self.has_no_other(slow) {
                self.prefetch_others(handle, slot);
                continue;
            }
            let whole = self.slots[slot].end - self.slots[slot].first;
            let set = std::mem::take(&mut self.best);
            let start = self.waiting.len();
            for top in (0..self.slow[slow].moves.len() as u32).filter(|top| !holds(&set, *top)) {
                self.arrive_by(machine, slow, top);
            }
            self.best = set;
            let s = &mut self.slots[slot];
            (s.first, s.end, s.is_whole) = (start as u32, self.waiting.len() as u32, true);
            s.whole = whole + s.end - s.first;
        }
        self.more.clear();
        let spans = &self.waiting[first..];
        if handle.insert_batch(&self.batch.bytes, spans, &self.hash, &mut self.more) < spans.len() {
            return Err(Full);
        }
        if let Proviso::Level(tags, level) | Proviso::Queue(tags, level) = proviso {
            tags.note_all(&self.more, *level);
        }
        Ok(())
    }

    /// Whether there is no set but the first one, which stays in `best`, and none that needs no proviso.
    fn has_no_other(&mut self, slow: usize) -> bool {
        let Reduced { best, members, reduction, moves, .. } = self;
        let c = &mut self.slow[slow];
        let moves = &moves[c.moves.clone()];
        best.clear();
        best.extend_from_slice(c.offer.words(0));
        if c.offer.len() > 1 {
            return false;
        }
        let (round, is_costly) = (c.offer.round(), c.offer.is_costly());
        let mut others = false;
        while !others && c.offer.is_partial() {
            reduction.offer_more(&c.state, moves, &mut c.offer);
            others = (0..c.offer.len()).any(|i| c.offer.words(i) != &best[..]);
        }
        others = others || reduction.complete(&c.state, moves, best, members);
        if others {
            // All of it is asked for again, one set after the other.
            c.offer.start(moves.len());
            c.offer.push(best, false);
            c.offer.set_partial(round);
            if is_costly {
                c.offer.set_costly();
            }
        }
        !others
    }

    /// Tells what went wrong at a state that takes all its moves, and counts it.
    pub(super) fn tell_whole(&mut self, slot: usize, options: &Options, receiver: &mut impl Receiver) {
        let slow = self.slots[slot].slow as usize;
        self.note_set(slow, None, self.slow[slow].offer.is_costly());
        if self.is_odd(slow) {
            self.tell(slow, None, options, receiver);
        }
    }

    /// The first set that was offered is not enough: tries the others, and in the end one that needs no proviso.
    #[cold]
    pub(super) fn try_others(
        &mut self,
        slot: usize,
        with: &mut CommitContext<'_, impl Handle, impl Receiver>,
    ) -> Result<(), Full> {
        let CommitContext { machine, options, handle, proviso, receiver } = with;
        let slow = self.slots[slot].slow as usize;
        let mut offer = std::mem::take(&mut self.slow[slow].offer);
        let (mut best, mut set) = (std::mem::take(&mut self.best), std::mem::take(&mut self.members));
        let mut ranges = std::mem::take(&mut self.ranges);
        best.clear();
        best.extend_from_slice(offer.words(0));
        self.start_trying(slot, &best);
        let mut next = 1;
        loop {
            while next >= offer.len() && offer.is_partial() {
                let c = &self.slow[slow];
                self.reduction.offer_more(&c.state, &self.moves[c.moves.clone()], &mut offer);
                next = 0;
            }
            let is_last = next >= offer.len();
            let is_free = is_last || offer.is_free(next);
            let mut whole = false;
            if is_last {
                let c = &self.slow[slow];
                whole = !self.reduction.complete(&c.state, &self.moves[c.moves.clone()], &best, &mut set);
                if whole {
                    set.clear();
                    set.resize(best.len(), u64::MAX);
                }
            } else {
                set.clear();
                set.extend_from_slice(offer.words(next));
            }
            next += 1;
            let count = self.slow[slow].moves.len() as u32;
            self.gather(*machine, slow, members(&set).take_while(|top| *top < count), &mut ranges);
            if !is_free && !self.leaves_path(*handle, proviso, &ranges) {
                continue;
            }
            self.ask_tried(*handle, proviso, &set)?;
            let mut enough = if is_free { Enough::Complete } else { Enough::No };
            if !is_free {
                enough = ranges.iter().map(|r| self.is_enough(proviso, r.clone())).max().unwrap_or_default();
            }
            if enough != Enough::No {
                self.completed.add(slot, enough == Enough::Complete);
                self.reduced += u64::from(!whole);
                self.note_set(slow, (!whole).then_some(set[0]), offer.is_costly());
                ranges.drain(..).for_each(|range| self.hand_over(*receiver, range));
                if self.is_odd(slow) {
                    self.tell(slow, Some(&set), options, *receiver);
                }
                break;
            }
        }
        self.slow[slow].offer = offer;
        (self.best, self.members, self.ranges) = (best, set, ranges);
        Ok(())
    }

    /// Notes where the successors of the first set stand.
    fn start_trying(&mut self, slot: usize, set: &[u64]) {
        let slot = &self.slots[slot];
        let (Range { start: mut at, end }, asked) = (slot.range(), slot.asked);
        self.attempts.clear();
        for top in members(set) {
            let start = at;
            while at < end && self.codes[at].top == top {
                at += 1;
            }
            self.attempts.push(Attempt { top, range: start..at, asked });
        }
    }

    /// Where the successors by some moves stand; moves that were not tried before are.
    fn gather(
        &mut self,
        machine: &mut dyn Machine,
        slow: usize,
        set: impl Iterator<Item = u32>,
        ranges: &mut Vec<Range<usize>>,
    ) {
        ranges.clear();
        for top in set {
            if let Some(attempts) = self.attempts.iter().find(|t| t.top == top) {
                ranges.push(attempts.range.clone());
                continue;
            }
            let start = self.waiting.len();
            self.arrive_by(machine, slow, top);
            let range = start..self.waiting.len();
            ranges.push(range.clone());
            self.attempts.push(Attempt { top, range, asked: false });
        }
    }

    /// Asks the store about those of a set that it was not asked about yet.
    fn ask_tried<H: Handle>(&mut self, handle: &mut H, proviso: &Proviso<'_>, set: &[u64]) -> Result<(), Full> {
        for i in 0..self.attempts.len() {
            let Attempt { top, ref range, asked } = self.attempts[i];
            if !asked && holds(set, top) {
                let range = range.clone();
                self.attempts[i].asked = true;
                self.put(handle, proviso, range)?;
            }
        }
        Ok(())
    }

    /// Asks the store for a stretch of what waits.
    pub(super) fn put<H: Handle>(
        &mut self,
        handle: &mut H,
        proviso: &Proviso<'_>,
        range: Range<usize>,
    ) -> Result<(), Full> {
        self.answers.resize(self.waiting.len(), Found::Full);
        for i in range {
            let found = handle.put(self.waiting[i].state(&self.batch.bytes), self.hash_of(i));
            self.answers[i] = found;
            match (proviso, found) {
                (_, Found::Full) => return Err(Full),
                (Proviso::Level(tags, level) | Proviso::Queue(tags, level), Found::New(n)) => tags.note(n, *level),
                _ => {}
            }
        }
        Ok(())
    }
}
