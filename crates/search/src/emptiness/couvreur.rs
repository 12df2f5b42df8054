//! Couvreur's search (1999; Couvreur, Duret-Lutz and Poitrenaud, SPIN 2005): strongly connected components on the fly.
//!
//! One depth-first pass. The states that are not known to be dead stand on the stack `live` in the order of their
//! visit; components found so far are stretches of it, each with the marks of its inner arcs and of the arc that leads
//! into it. An arc back into a stretch melts all stretches above it together. As soon as a stretch carries all wanted
//! marks there is an accepting cycle; a stretch whose first state is done without that is dead for good.
//!
//! Arcs to states that have been visited are dealt with at once, before any new state is entered (the variant `shy-`
//! of the paper): only arcs to new states wait on a stack, and cycles are seen earlier.
//!
//! An arc that lies on no wanted cycle does not continue the search but starts a new one at its target, later: so
//! non-progress cycles need no second copy of the graph. Dead sets stay dead, because components of the graph of inside
//! arcs do not depend on where the search begins. *Loose* states, which have no inside arcs at all, need no order: they
//! are expanded several at a time, so that the misses of the store overlap. Where a property runs beside, these are the states
//! in which the property is in no accepting component: a good part of most products.
//!
//! Beside the store: four bytes a state, four more for live ones; every arc is taken once.

use super::explorer::{Algorithm, BATCH, End, Explorer, conduct};
use super::marks::MarkSet;
use super::{GoOn, Graph, Lasso, Outcome, lasso};
use ferrospin_system::Handle;
use std::collections::VecDeque;

/// Rank of a state that was not visited.
const NEW: u32 = 0;
/// Rank of a state in a dead component.
const DEAD: u32 = u32::MAX;

/// A stretch of live states: a component, as far as it is known.
struct Stretch<M> {
    /// Rank of its first state.
    first: u32,
    /// Marks of the arc that leads into it.
    entry: M,
    /// Marks of its inner arcs.
    inner: M,
}

struct Frame {
    rank: u32,
    /// Where its waiting arcs start.
    waiting: u32,
}

struct Couvreur<M> {
    /// By number of the state: position on `live` plus one.
    ranks: Vec<u32>,
    live: Vec<u32>,
    stretches: Vec<Stretch<M>>,
    frames: Vec<Frame>,
    /// Arcs to states that were new, last one first.
    waiting: Vec<(u32, M)>,
    /// Where further searches start.
    pending: Vec<u32>,
    /// Loose states that have been met; they count as dead. Those met first go first, because they lie one behind the other.
    loose: VecDeque<u32>,
    components: u64,
}

/// Searches for a cycle that carries all wanted marks.
///
/// # Panics
/// Panics when the graph has arcs outside and follows the path: targets of such arcs are entered later.
pub fn search<G: Graph, H: Handle>(x: &mut Explorer<G, H>, go_on: GoOn<'_>) -> Outcome<G::Label> {
    assert!(!(x.graph.restricts() && x.graph.follows_path()), "arcs outside and the path do not go together");
    conduct(x, &mut Couvreur::new(), go_on)
}

impl<G: Graph, H: Handle> Algorithm<G, H> for Couvreur<G::Marks> {
    type Found = ();

    fn run(&mut self, x: &mut Explorer<G, H>, first: u32, go_on: GoOn<'_>) -> Result<Option<()>, End> {
        let found = self.explore(x, first, go_on);
        x.figures.components = Some(self.components);
        Ok(found?.then_some(()))
    }

    fn memory_bytes(&self) -> usize {
        self.held_bytes()
    }

    fn lasso(&mut self, x: &mut Explorer<G, H>, first: u32, found: ()) -> Lasso<G::Label> {
        let () = found;
        self.lasso_of_last(x, first)
    }
}

/// The lasso of a cycle that another search has found to be there, reachable from `from`: another pass among stored
/// states finds its component.
pub(crate) fn lasso_from<G: Graph, H: Handle>(
    x: &mut Explorer<G, H>,
    first: u32,
    from: u32,
) -> Option<Lasso<G::Label>> {
    let mut c = Couvreur::new();
    match c.explore(x, from, &mut |_| true) {
        Ok(true) => Some(c.lasso_of_last(x, first)),
        _ => None,
    }
}

impl<M: MarkSet> Couvreur<M> {
    fn new() -> Self {
        Couvreur {
            ranks: Vec::new(),
            live: Vec::new(),
            stretches: Vec::new(),
            frames: Vec::new(),
            waiting: Vec::new(),
            pending: Vec::new(),
            loose: VecDeque::new(),
            components: 0,
        }
    }

    /// Whether there is an accepting cycle.
    fn explore<G: Graph<Marks = M>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        first: u32,
        go_on: GoOn<'_>,
    ) -> Result<bool, End> {
        let wanted = x.graph.wanted();
        self.pending.push(first);
        loop {
            let Some(start) = self.pending.pop() else {
                if self.loose.is_empty() {
                    return Ok(false);
                }
                self.spread(x, go_on)?;
                continue;
            };
            self.cover(x);
            if self.ranks[start as usize] != NEW {
                continue;
            }
            if self.enter(x, start, M::NONE, wanted, go_on)? {
                return Ok(true);
            }
            while let Some(frame) = self.frames.last() {
                if self.waiting.len() == frame.waiting as usize {
                    let rank = frame.rank;
                    x.graph.left();
                    self.leave(rank);
                    continue;
                }
                let (target, marks) = self.waiting.pop().expect("an arc waits");
                let found = match self.ranks[target as usize] {
                    NEW => self.enter(x, target, marks, wanted, go_on)?,
                    DEAD => false,
                    rank => self.melt(rank, marks, wanted),
                };
                if found {
                    return Ok(true);
                }
            }
        }
    }

    /// Expands some loose states.
    fn spread<G: Graph<Marks = M>, H: Handle>(&mut self, x: &mut Explorer<G, H>, go_on: GoOn<'_>) -> Result<(), End> {
        let mut some = [0; BATCH];
        let count = self.loose.len().min(BATCH);
        some.iter_mut().zip(self.loose.drain(..count)).for_each(|(to, from)| *to = from);
        x.expand_all(&some[..count], go_on)?;
        self.components += count as u64;
        self.cover(x);
        for i in 0..x.targets.len() {
            let t = x.targets[i];
            if self.ranks[t.id as usize] == NEW {
                self.defer(t.id, t.loose);
            }
        }
        Ok(())
    }

    /// A new state is met that need not be entered now.
    #[inline]
    fn defer(&mut self, state: u32, loose: bool) {
        if loose {
            self.ranks[state as usize] = DEAD;
            self.loose.push_back(state);
        } else {
            self.pending.push(state);
        }
    }

    /// Makes room for the numbers that the store has given.
    #[inline]
    fn cover<G: Graph<Marks = M>, H: Handle>(&mut self, x: &Explorer<G, H>) {
        if x.bound > self.ranks.len() {
            self.ranks.resize((x.bound + x.bound / 2).max(1024), NEW);
        }
    }

    /// Visits a new state: melts along arcs to live states, and lets arcs to new states wait.
    #[inline]
    fn enter<G: Graph<Marks = M>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        entry: M,
        wanted: M,
        go_on: GoOn<'_>,
    ) -> Result<bool, End> {
        self.live.push(state);
        let rank = self.live.len() as u32;
        self.ranks[state as usize] = rank;
        self.stretches.push(Stretch { first: rank, entry, inner: M::NONE });
        self.frames.push(Frame { rank, waiting: self.waiting.len() as u32 });
        x.expand(state)?;
        x.visited(go_on)?;
        x.figures.depth = x.figures.depth.max(self.frames.len() as u64);
        self.cover(x);
        for i in (0..x.targets.len()).rev() {
            let t = x.targets[i];
            let rank = self.ranks[t.id as usize];
            match rank {
                NEW if t.inside => self.waiting.push((t.id, t.marks)),
                NEW => self.defer(t.id, t.loose),
                DEAD => {}
                _ if t.inside && self.melt(rank, t.marks, wanted) => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }

    /// An arc leads back to the live state of this rank: what lies above belongs to one component.
    #[inline]
    fn melt(&mut self, rank: u32, mut marks: M, wanted: M) -> bool {
        let mut top = self.stretches.len() - 1;
        while rank < self.stretches[top].first {
            marks = marks.union(self.stretches[top].inner).union(self.stretches[top].entry);
            top -= 1;
        }
        self.stretches.truncate(top + 1);
        let stretch = &mut self.stretches[top];
        stretch.inner = stretch.inner.union(marks);
        stretch.inner.covers(wanted)
    }

    /// All arcs of the state on top are done.
    #[inline]
    fn leave(&mut self, rank: u32) {
        self.frames.pop();
        if self.stretches.last().is_some_and(|s| s.first == rank) {
            for &state in &self.live[rank as usize - 1..] {
                self.ranks[state as usize] = DEAD;
            }
            self.live.truncate(rank as usize - 1);
            self.stretches.pop();
            self.components += 1;
        }
    }

    fn lasso_of_last<G: Graph<Marks = M>, H: Handle>(&self, x: &mut Explorer<G, H>, first: u32) -> Lasso<G::Label> {
        let from = self.stretches.last().expect("a component").first;
        let ranks = &self.ranks;
        let member = |id: u32| ranks.get(id as usize).is_some_and(|r| *r >= from && *r != DEAD);
        lasso::in_component(x, first, &member)
    }

    fn held_bytes(&self) -> usize {
        4 * (self.ranks.capacity() + self.live.capacity() + self.pending.capacity() + self.loose.capacity())
            + size_of::<Stretch<M>>() * self.stretches.capacity()
            + 8 * self.frames.capacity()
            + size_of::<(u32, M)>() * self.waiting.capacity()
    }
}
