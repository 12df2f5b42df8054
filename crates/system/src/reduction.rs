//! Reduction: which of the moves of a state need to be taken.
//!
//! A reduction offers sets of moves, best first; the search takes the first set that passes its proviso, and all moves
//! when none does. The reduction depends on the program only, the proviso on the order of the search only.

use crate::Move;
use std::ops::Range;

/// Offers subsets of moves that are enough.
pub trait Reduction: Send {
    /// Offers sets for a state, whose moves these are, in the order of [`crate::Machine::moves`]. An empty offer means
    /// that all moves must be taken. A search calls it at every state that it expands, even where there is nothing to choose.
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer);

    /// Adds, for each state of a run, the set that would be offered first, where that is cheap to compute. The states are of
    /// `len` bytes and stand one behind the other, their moves do as well, and `ends` holds the ends of the moves of each. For
    /// a state that is left [`Preselection::OPEN`] the search calls [`Reduction::offer`]; where a set turns out not to be
    /// enough, it calls [`Reduction::offer_more`], with an offer of this set in round 1.
    fn preselect(&mut self, states: &[u8], len: usize, moves: &[Move], ends: &[u32], out: &mut Vec<Preselection>) {
        let _ = (states, len, moves);
        out.extend(ends.iter().map(|_| Preselection::OPEN));
    }

    /// Offers other sets, where those of `out` were not enough and there are more ([`Offer::is_partial`]). That can be so
    /// several times; what was offered before may come again.
    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        let _ = (state, moves);
        out.start(0);
    }

    /// Extends a set of [`Reduction::offer`] that no proviso has passed, or that turns out not to be enough, to one
    /// that needs no proviso; sets are words as in [`Offer::words`]. False when that would be all moves; otherwise `out` is the
    /// larger set.
    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u64], out: &mut Vec<u64>) -> bool {
        let _ = (state, moves, set, out);
        false
    }

    /// From now on only cheap sets, of a single process, are offered: those that were [`Offer::is_costly`] did not pay off.
    fn restrict_to_singles(&mut self) {}

    /// Sets the budget for costly sets, about the number of edges that may be visited to find them; costly sets that were found
    /// before may still be offered.
    fn set_budget(&mut self, edges: u64) {
        let _ = edges;
    }

    /// Whether a search that takes all moves from now on need not call the reduction any more.
    fn is_dispensable(&self) -> bool {
        false
    }

    /// A reduction of its own for one more worker.
    fn another(&self) -> Box<dyn Reduction>;
}

/// Whether a set of moves, given as words, holds the move with this index.
#[inline]
pub fn holds(set: &[u64], index: u32) -> bool {
    set[index as usize / 64] >> (index % 64) & 1 == 1
}

/// The moves of a set, given as words, by index and ascending.
pub fn members(set: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(set).flat_map(|(w, word)| {
        let mut bits = *word;
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| 64 * w + bits.trailing_zeros())?;
            bits &= bits - 1;
            Some(bit)
        })
    })
}

/// The states of a run with their moves, given as for [`Reduction::preselect`].
pub fn states_of_run<'a>(
    states: &'a [u8],
    len: usize,
    moves: &'a [Move],
    ends: &'a [u32],
) -> impl Iterator<Item = (&'a [u8], &'a [Move])> {
    let mut start = 0;
    states.chunks_exact(len).zip(ends).map(move |(state, end)| {
        let own = &moves[start..*end as usize];
        start = *end as usize;
        (state, own)
    })
}

/// What a reduction selects at a state in advance, if that is cheap to compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preselection {
    /// Index of the first move that is taken.
    pub first: u16,
    /// How many are.
    pub count: u16,
    /// Whether these are a set that would be offered, and not all moves.
    pub is_set: bool,
    /// Whether they need no proviso.
    pub is_free: bool,
    /// Nothing was selected: [`Reduction::offer`] must be called.
    pub is_open: bool,
}

impl Preselection {
    /// [`Reduction::offer`] must be called.
    pub const OPEN: Preselection = Preselection { first: 0, count: 0, is_set: false, is_free: false, is_open: true };

    /// All moves must be taken, of which there are `count`.
    pub fn all(count: usize) -> Preselection {
        let all = |count| Preselection { count, is_free: true, is_open: false, ..Preselection::OPEN };
        u16::try_from(count).map_or(Preselection::OPEN, all)
    }

    /// These moves would be offered as a set.
    pub fn set(moves: Range<usize>, is_free: bool) -> Preselection {
        match (moves.start.try_into(), moves.len().try_into()) {
            (Ok(first), Ok(count)) => Preselection { first, count, is_set: true, is_free, is_open: false },
            _ => Preselection::OPEN,
        }
    }
}

/// Sets of moves, best first, one bit for each move. No set holds all moves.
#[derive(Default, Debug)]
pub struct Offer {
    /// Words of a set.
    width: usize,
    words: Vec<u64>,
    free: Vec<bool>,
    /// How often there were sets before, where there are more; else 0.
    round: u8,
    costly: bool,
}

impl Offer {
    /// Clears the offer and keeps its memory; `moves` is the number of moves from now on.
    #[inline]
    pub fn start(&mut self, moves: usize) {
        self.width = moves.div_ceil(64);
        self.words.clear();
        self.free.clear();
        self.round = 0;
        self.costly = false;
    }

    /// Notes that there are more sets, for [`Reduction::offer_more`], which can read the round.
    #[inline]
    pub fn set_partial(&mut self, round: u8) {
        self.round = round;
    }

    /// The number given with [`Offer::set_partial`].
    pub fn round(&self) -> u8 {
        self.round
    }

    /// Whether there are more sets.
    #[inline]
    pub fn is_partial(&self) -> bool {
        self.round != 0
    }

    /// Notes that these sets were costly to find.
    pub fn set_costly(&mut self) {
        self.costly = true;
    }

    /// Whether these sets were costly to find.
    #[inline]
    pub fn is_costly(&self) -> bool {
        self.costly
    }

    /// Adds a set. With `free` it is sound whatever the search finds at its successors, so that no proviso needs to hold.
    #[inline]
    pub fn push(&mut self, set: &[u64], free: bool) {
        debug_assert_eq!(set.len(), self.width, "a bit for each move");
        self.words.extend_from_slice(set);
        self.free.push(free);
    }

    /// Adds a set of moves that stand one behind the other; there is at least one.
    #[inline]
    pub fn push_range(&mut self, range: Range<usize>, free: bool) {
        if self.width == 1 {
            self.words.push(u64::MAX >> (64 - range.len()) << range.start);
            self.free.push(free);
            return;
        }
        for w in 0..self.width {
            let below = |end: usize| match end.saturating_sub(64 * w) {
                n @ 0..64 => (1 << n) - 1,
                _ => u64::MAX,
            };
            self.words.push(below(range.end) & !below(range.start));
        }
        self.free.push(free);
    }

    /// How many sets there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// A set, for [`holds`] and [`members`].
    #[inline]
    pub fn words(&self, i: usize) -> &[u64] {
        &self.words[i * self.width..(i + 1) * self.width]
    }

    /// Whether a set needs no proviso.
    #[inline]
    pub fn is_free(&self, i: usize) -> bool {
        self.free[i]
    }
}
