//! Reduction: which of the moves of a state need to be taken.
//!
//! A reduction offers sets of moves, best first; the search takes the first set that passes its proviso, and all moves
//! when none does. The reduction knows the program, the search knows its order; neither knows the other.

use crate::Move;

/// Offers subsets of moves that are enough.
pub trait Reduction: Send {
    /// Offers sets for a state, whose moves these are, in the order of [`crate::Machine::moves`]. An empty offer means
    /// that all moves must be taken. A search asks at every state that it expands, even where there is nothing to choose.
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer);

    /// Offers all sets, where [`Reduction::offer`] has offered only the first ([`Offer::is_partial`]) and the search wants
    /// another one.
    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        let _ = (state, moves);
        out.clear();
    }

    /// Extends a set of [`Reduction::offer`] that no proviso has passed, or that turns out not to be enough, to one
    /// that needs no proviso. Says no when that would be all moves; `out` is the larger set otherwise.
    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u32], out: &mut Vec<u32>) -> bool {
        let _ = (state, moves, set, out);
        false
    }

    /// A reduction of its own for one more worker.
    fn another(&self) -> Box<dyn Reduction>;
}

/// Sets of moves, best first. No set holds all moves.
#[derive(Default, Debug)]
pub struct Offer {
    members: Vec<u32>,
    sets: Vec<(u32, bool)>,
    partial: bool,
}

impl Offer {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.members.clear();
        self.sets.clear();
        self.partial = false;
    }

    /// Notes that there are more sets, for [`Reduction::offer_more`].
    pub fn set_partial(&mut self) {
        self.partial = true;
    }

    /// Whether there are more sets.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// Adds a set of indices into the moves, ascending. With `free` it is sound whatever the search finds at its
    /// successors, so that no proviso needs to hold.
    pub fn push(&mut self, members: impl IntoIterator<Item = u32>, free: bool) {
        self.members.extend(members);
        self.sets.push((self.members.len() as u32, free));
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The indices of a set, ascending.
    pub fn set(&self, i: usize) -> &[u32] {
        let start = if i == 0 { 0 } else { self.sets[i - 1].0 };
        &self.members[start as usize..self.sets[i].0 as usize]
    }

    /// Whether a set needs no proviso.
    pub fn is_free(&self, i: usize) -> bool {
        self.sets[i].1
    }
}
