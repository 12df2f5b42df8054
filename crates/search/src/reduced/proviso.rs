//! How a reduced set of moves proves that it is enough.

use super::Reduced;
use crate::numbers::Numbers;
use crate::tags::Tags;
use ferrospin_system::{Found, Handle};
use std::ops::Range;

/// What a set that is not free must show.
pub(crate) enum Proviso<'a> {
    /// One of its successors belongs to the level that is being made, whose number stands beside, or was complete before
    /// the level that is being expanded.
    Level(&'a Tags, u64),
    /// The same, but what waits or is complete in the level that is being expanded counts as well.
    Queue(&'a Tags, u64),
    /// One of its successors is new: it will be expanded later.
    New,
    /// One of its successors, or all of them, are new or done with; by number, which states are done with.
    Path { done: &'a Numbers, all: bool },
    /// Nothing: the search sees to it later that some state behind takes all moves. By number, at or behind which states
    /// that is so already.
    Later(&'a Numbers),
}

/// Whether a set is enough, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Enough {
    /// It is not.
    #[default]
    No,
    /// Nothing that matters is put off: it needs no proviso, or leads to a state of which that is known.
    Complete,
    /// It leads to a state that is expanded later.
    Later,
}

impl Reduced {
    /// Whether the proviso holds for the first set of a state, of which nothing was new. Where it does not, all that the
    /// store says is noted.
    pub(super) fn leads_on<H: Handle>(&mut self, handle: &H, proviso: &Proviso<'_>, slot: usize) -> Enough {
        if let Proviso::Later(complete) = proviso {
            return self.leads_back(handle, complete, slot);
        }
        if self.answers.len() < self.waiting.len() {
            self.answers.resize(self.waiting.len(), Found::Full);
        }
        let mut enough = Enough::No;
        for i in self.start_of(slot) as usize..self.ends[slot] as usize {
            let number = match proviso {
                // Numbers are not needed, and not every store has them.
                Proviso::New => 0,
                _ => self.number_of(handle, i),
            };
            self.answers[i] = Found::Seen(number);
            enough = enough.max(says(proviso, Found::Seen(number)));
            if enough == Enough::Later {
                break;
            }
        }
        enough
    }

    /// The number of a state that was not new.
    #[inline]
    fn number_of<H: Handle>(&self, handle: &H, i: usize) -> u64 {
        let state = self.waiting[i].state(&self.batch.bytes);
        handle.find(state, self.hash.of(state)).expect("it was there a moment ago")
    }

    /// Whether the first set of a state, of which nothing was new, leads to a state that is complete.
    fn leads_back<H: Handle>(&self, handle: &H, complete: &Numbers, slot: usize) -> Enough {
        let is_complete = |i: usize| complete.has(self.number_of(handle, i));
        let leads = !complete.is_empty() && (self.start_of(slot) as usize..self.ends[slot] as usize).any(is_complete);
        if leads { Enough::Complete } else { Enough::Later }
    }

    /// Whether a proviso that looks at the path holds for what waits there, before it is stored: a set that is refused
    /// must not leave states behind. One that leads nowhere (round and round inside an `atomic`) puts the others off for
    /// ever.
    pub(super) fn leaves_path<H: Handle>(&self, handle: &H, proviso: &Proviso<'_>, ranges: &[Range<usize>]) -> bool {
        let Proviso::Path { done, all } = proviso else { return true };
        let mut leaves = ranges.iter().flat_map(Range::clone).map(|i| {
            let number = handle.find(self.waiting[i].state(&self.batch.bytes), self.hash_of(i));
            number.is_none_or(|n| done.has(n))
        });
        if *all { leaves.next() == Some(true) && leaves.all(|l| l) } else { leaves.any(|l| l) }
    }

    /// Whether the proviso holds for a stretch of what waits, by the store's answers.
    #[inline]
    pub(super) fn is_enough(&self, proviso: &Proviso<'_>, range: Range<usize>) -> Enough {
        range.map(|i| says(proviso, self.answers[i])).max().unwrap_or_default()
    }

    /// The hash of something that waits.
    #[inline]
    pub(super) fn hash_of(&self, i: usize) -> u64 {
        self.hash.of(self.waiting[i].state(&self.batch.bytes))
    }
}

/// Whether the proviso holds because of a successor of which the store said this.
#[inline(always)]
fn says(proviso: &Proviso<'_>, found: Found) -> Enough {
    match (proviso, found) {
        (Proviso::Path { .. } | Proviso::Later(_), _) | (_, Found::New(_)) => Enough::Later,
        (Proviso::Level(tags, level), Found::Seen(n)) => match tags.met(n, *level) {
            (true, _) => Enough::Later,
            (_, true) => Enough::Complete,
            _ => Enough::No,
        },
        (Proviso::Queue(tags, level), Found::Seen(n)) if tags.waits(n, *level) => Enough::Later,
        (Proviso::Queue(tags, _), Found::Seen(n)) if tags.is_complete(n) => Enough::Complete,
        _ => Enough::No,
    }
}
