//! Partial-order reduction of a product: which moves of the system are enough, whatever the property does.
//!
//! The theorem behind ample and stubborn sets speaks of a system alone: the choice must depend on the state of the system,
//! and every cycle of the reduced system must hold a state at which all moves are taken. A test on the product's stack
//! gives neither (Siegel, CAV 2019: a violation can be lost even where the property cannot see stuttering). So the choice is
//! made once for each *system part* of a state, the state without its property, and remembered. All copies of the state,
//! a second search and the search for a counterexample find the same moves again.
//!
//! *The proviso.* A set is refused when one of its steps leads to the system part itself, or to one that stands on the
//! path and was reduced, or fails and leads nowhere, because what others can do for ever would be lost; the next set follows, and all moves when none is left. Where the property cannot move, everything
//! counts as taken. Then no cycle is reduced throughout, as long as the search is a true depth-first search, which
//! leaves a state only after it has entered all successors: let `v` be the state of such a cycle that was chosen for
//! first. While it stands on the path the search enters its successor on the cycle, which is chosen for then or before,
//! but not before `v`; and so on around the cycle, until the last one meets `v` on the path and is refused.
//!
//! Cost: a second table of states without property, sixteen bytes beside each, and the growing of the sets, once for each.

use ferrospin_system::{Found, Handle, Move, Offer, Reduction, StateHash};
use std::ops::Range;

/// Deliberate mistakes: tests show that each of them is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weakening {
    /// Every set passes.
    pub no_proviso: bool,
    /// The choice is made anew each time a state is expanded.
    pub forgets: bool,
    /// The product's own states are asked for on the path, not their system parts.
    pub no_system: bool,
}

/// What is known of a system part.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// [`UNDECIDED`], [`FULL`], or the moves of the system that are taken, one bit each.
    choice: u64,
    /// How often it stands on the path.
    on_path: u32,
}

const UNDECIDED: u64 = 0;
const FULL: u64 = u64::MAX;
/// States of a system with more moves than this are not reduced.
const MOVES_MAX: usize = 63;

/// A reduction and what it has chosen.
pub struct Reducing<'s> {
    reduction: Box<dyn Reduction>,
    /// Holds system parts.
    systems: Box<dyn Handle + 's>,
    /// The property's bytes in a state.
    property: Range<usize>,
    /// The weak proviso is enough.
    weak: bool,
    weakening: Weakening,
    hash: StateHash,
    entries: Vec<Entry>,
    path: Vec<u32>,
    /// The system part of the state that was expanded last.
    current: u32,
    part: Vec<u8>,
    /// Moves of the system alone, and the index of each among those of the product.
    base: Vec<Move>,
    offer: Offer,
    /// The set that is tried, as in [`Entry::choice`].
    tried: u64,
    /// Set of the product's moves that is tried or taken: by index, whether it belongs to it.
    pub(super) taken: Vec<bool>,
    reduced: u64,
}

/// How to go on with a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// Take all moves.
    All,
    /// Take the moves that are `taken`.
    Known,
    /// Try the moves that are `taken`; the proviso decides.
    Try(usize),
    /// There is no room for more system parts.
    NoRoom,
}

impl<'s> Reducing<'s> {
    /// A reduction beside a store that holds nothing else, with this hash; the property lies in these bytes of a state.
    pub fn new(
        reduction: Box<dyn Reduction>,
        systems: Box<dyn Handle + 's>,
        hash: StateHash,
        property: Range<usize>,
    ) -> Self {
        Reducing {
            reduction,
            systems,
            property,
            weak: false,
            weakening: Weakening::default(),
            hash,
            entries: Vec::new(),
            path: Vec::new(),
            current: 0,
            part: Vec::new(),
            base: Vec::new(),
            offer: Offer::default(),
            tried: 0,
            taken: Vec::new(),
            reduced: 0,
        }
    }

    /// The same with the weak proviso, if `weak`: a set is refused only when all of its steps are. From every state some
    /// state is reached then at which all moves are taken, but cycles may be reduced throughout: runs on which the
    /// property sees nothing from some point on may be lost, and only violations that are found mean something.
    #[must_use]
    pub fn weak(mut self, weak: bool) -> Self {
        self.weak = weak;
        self
    }

    /// Whether the weak proviso is enough.
    pub(super) fn is_weak(&self) -> bool {
        self.weak
    }

    /// The same with deliberate mistakes.
    #[must_use]
    pub fn weakened(mut self, weakening: Weakening) -> Self {
        self.weakening = weakening;
        self
    }

    /// How many system parts were reduced.
    pub fn reduced(&self) -> u64 {
        self.reduced
    }

    fn set_part(&mut self, state: &[u8]) {
        self.part.clear();
        if self.weakening.no_system {
            self.part.extend_from_slice(state);
            return;
        }
        self.part.extend_from_slice(&state[..self.property.start]);
        self.part.extend_from_slice(&state[self.property.end..]);
    }

    /// Begins with a state, whose moves these are.
    pub(super) fn choose(&mut self, state: &[u8], moves: &[Move]) -> Choice {
        self.systems.pause();
        self.set_part(state);
        let number = match self.systems.put(&self.part, self.hash.of(&self.part)) {
            Found::New(n) | Found::Seen(n) => n as usize,
            Found::Full => return Choice::NoRoom,
        };
        if number >= self.entries.len() {
            self.entries.resize((number + 1).next_power_of_two().max(1024), Entry::default());
        }
        self.current = number as u32;
        let choice = self.entries[number].choice;
        if moves.is_empty() {
            // No process can move, or the property cannot: then the choice for other states of the property may stand already.
            if choice == UNDECIDED {
                self.entries[number].choice = FULL;
            }
            return Choice::All;
        }
        if choice == FULL && !self.weakening.forgets {
            return Choice::All;
        }
        // A property that can move moves beside every move of the system.
        self.base.clear();
        self.base.extend(moves.iter().filter(|m| m.property == moves[0].property));
        if choice != UNDECIDED && !self.weakening.forgets {
            self.mark(moves, choice);
            return Choice::Known;
        }
        if self.base.len() > MOVES_MAX {
            self.entries[number].choice = FULL;
            return Choice::All;
        }
        self.reduction.offer(state, &self.base, &mut self.offer);
        self.propose(state, moves, 0)
    }

    /// Tries the set of this number in the offer, if there is one; what else is offered comes behind.
    fn propose(&mut self, state: &[u8], moves: &[Move], mut set: usize) -> Choice {
        while set >= self.offer.len() && self.offer.is_partial() {
            self.reduction.offer_more(state, &self.base, &mut self.offer);
            set = 0;
        }
        if set >= self.offer.len() {
            self.entries[self.current as usize].choice = FULL;
            return Choice::All;
        }
        self.tried = self.offer.words(set)[0];
        self.mark(moves, self.tried);
        Choice::Try(set)
    }

    /// Marks the moves of a set.
    fn mark(&mut self, moves: &[Move], set: u64) {
        let same = |a: &Move, b: &Move| {
            (a.process, a.edge, a.partner, a.partner_edge) == (b.process, b.edge, b.partner, b.partner_edge)
        };
        let (base, n) = (&self.base, self.base.len());
        let is_taken = |(i, m): (usize, &Move)| {
            // The moves stand in rounds, one for each edge of the property, or the edges of the property behind each move.
            let at = if same(&base[i % n], m) { Some(i % n) } else { base.iter().position(|b| same(b, m)) };
            at.is_some_and(|at| set >> at & 1 == 1)
        };
        self.taken.clear();
        self.taken.extend(moves.iter().enumerate().map(is_taken));
    }

    /// Whether a step to this state refuses the set that is tried.
    pub(super) fn refuses(&mut self, target: &[u8]) -> bool {
        if self.weakening.no_proviso {
            return false;
        }
        self.set_part(target);
        let Some(number) = self.systems.find(&self.part, self.hash.of(&self.part)) else { return false };
        let known = self.entries.get(number as usize).copied().unwrap_or_default();
        number as u32 == self.current || known.on_path > 0 && known.choice != FULL
    }

    /// The set that was tried has passed.
    pub(super) fn accept(&mut self) {
        self.entries[self.current as usize].choice = self.tried;
        self.reduced += 1;
    }

    /// The set that was tried was refused.
    pub(super) fn go_on(&mut self, state: &[u8], moves: &[Move], refused: usize) -> Choice {
        self.propose(state, moves, refused + 1)
    }

    /// The state that was expanded last goes onto the path.
    pub(super) fn entered(&mut self) {
        self.path.push(self.current);
        self.entries[self.current as usize].on_path += 1;
    }

    /// The last state of the path is left.
    pub(super) fn left(&mut self) {
        let number = self.path.pop().expect("a state that was entered");
        self.entries[number as usize].on_path -= 1;
    }

    /// Memory that it holds beside the store of system parts.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Entry>() * self.entries.capacity() + 4 * self.path.capacity()
    }
}
