//! Nested search for several marks: Tauriainen's algorithm (2003) with the improvements of Couvreur, Duret-Lutz and
//! Poitrenaud (SPIN 2005).
//!
//! Every state remembers a set of marks; an inner search spreads the marks of an arc over all that is reachable from
//! it, once it is left in post-order. A state on the stack that gets all marks lies on an accepting cycle. Marks on the
//! stack itself are known without an inner search, from the depth at which each mark occurred last; the paper counts
//! them instead. With one mark this is the nested search of Schwoon and Esparza.
//!
//! Beside the store: four bytes and a set of marks a state; at most one inner visit of a state per mark.

use super::explorer::{Algorithm, End, Explorer, conduct};
use super::marks::MarkSet;
use super::{GoOn, Graph, Lasso, Outcome, couvreur};
use ferrospin_system::Handle;

/// Depth of a state that was not visited.
const NEW: u32 = 0;
/// Depth of a state that was left.
const LEFT: u32 = u32::MAX;

struct Frame<M> {
    state: u32,
    /// Where its waiting arcs start.
    waiting: u32,
    /// Marks of the arc that led here.
    entry: M,
    /// Where `undo` stood.
    undo: u32,
}

struct Tau03<M> {
    /// By number of the state: depth on the stack, from 1.
    depths: Vec<u32>,
    /// By number of the state: marks that were spread to it.
    spread: Vec<M>,
    frames: Vec<Frame<M>>,
    waiting: Vec<(u32, M)>,
    /// For every mark the depth of the last state entered by an arc that carries it.
    last: Vec<u32>,
    /// What `last` was before.
    undo: Vec<(u16, u32)>,
    wanted: M,
}

/// Searches for a cycle that carries all wanted marks.
///
/// # Panics
/// Panics when the graph has arcs outside.
pub fn search<G: Graph, H: Handle>(x: &mut Explorer<G, H>, go_on: GoOn<'_>) -> Outcome<G::Label> {
    assert!(!x.graph.restricts(), "nested search needs copies where arcs may lie outside");
    let mut t = Tau03 {
        depths: Vec::new(),
        spread: Vec::new(),
        frames: Vec::new(),
        waiting: Vec::new(),
        last: vec![0; G::Marks::BITS],
        undo: Vec::new(),
        wanted: x.graph.wanted(),
    };
    conduct(x, &mut t, go_on)
}

impl<G: Graph, H: Handle> Algorithm<G, H> for Tau03<G::Marks> {
    type Found = u32;

    fn run(&mut self, x: &mut Explorer<G, H>, first: u32, go_on: GoOn<'_>) -> Result<Option<u32>, End> {
        self.explore(x, first, go_on)
    }

    fn memory_bytes(&self) -> usize {
        4 * self.depths.capacity()
            + size_of::<G::Marks>() * self.spread.capacity()
            + size_of::<Frame<G::Marks>>() * self.frames.capacity()
            + size_of::<(u32, G::Marks)>() * self.waiting.capacity()
            + 8 * self.undo.capacity()
    }

    fn lasso(&mut self, x: &mut Explorer<G, H>, first: u32, found: u32) -> Lasso<G::Label> {
        couvreur::lasso_from(x, first, found).expect("the cycle is reachable from a state of it")
    }
}

impl<M: MarkSet> Tau03<M> {
    /// A state of an accepting cycle.
    fn explore<G: Graph<Marks = M>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        first: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        self.cover(x);
        self.enter(x, first, M::NONE, go_on)?;
        while let Some(frame) = self.frames.last() {
            let state = frame.state;
            let found = if self.waiting.len() > frame.waiting as usize {
                let (target, marks) = self.waiting.pop().expect("an arc waits");
                if self.depths[target as usize] == NEW {
                    self.enter(x, target, marks, go_on)?;
                    continue;
                }
                self.spread(x, state, marks.union(self.spread[state as usize]), target, go_on)?
            } else {
                let frame = self.frames.pop().expect("not empty");
                x.graph.left();
                while self.undo.len() > frame.undo as usize {
                    let (mark, depth) = self.undo.pop().expect("not empty");
                    self.last[usize::from(mark)] = depth;
                }
                self.depths[state as usize] = LEFT;
                match self.frames.last() {
                    None => None,
                    Some(source) => {
                        let source = source.state;
                        let marks = frame.entry.union(self.spread[source as usize]);
                        self.spread(x, source, marks, state, go_on)?
                    }
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn cover<G: Graph<Marks = M>, H: Handle>(&mut self, x: &Explorer<G, H>) {
        if x.bound > self.depths.len() {
            let len = (x.bound + x.bound / 2).max(1024);
            self.depths.resize(len, NEW);
            self.spread.resize(len, M::NONE);
        }
    }

    fn enter<G: Graph<Marks = M>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        state: u32,
        entry: M,
        go_on: GoOn<'_>,
    ) -> Result<(), End> {
        let undo = self.undo.len() as u32;
        self.frames.push(Frame { state, waiting: self.waiting.len() as u32, entry, undo });
        let depth = self.frames.len() as u32;
        self.depths[state as usize] = depth;
        for mark in (0..M::BITS).filter(|m| self.wanted.has(*m) && entry.has(*m)) {
            self.undo.push((mark as u16, self.last[mark]));
            self.last[mark] = depth;
        }
        x.expand(state)?;
        x.visited(go_on)?;
        x.figures.depth = x.figures.depth.max(u64::from(depth));
        self.cover(x);
        self.waiting.extend(x.targets.iter().rev().map(|t| (t.id, t.marks)));
        Ok(())
    }

    /// Marks of the arcs on the stack above a depth.
    fn above(&self, depth: u32) -> M {
        let marks = (0..M::BITS).filter(|m| self.last[*m] > depth);
        marks.fold(M::NONE, |all, m| all.union(M::one(m)))
    }

    /// Whether an arc from `source` to `target`, with all that has been spread, closes an accepting cycle.
    fn closes(&self, source: u32, marks: M, target: u32) -> bool {
        let depth = self.depths[target as usize];
        if depth == NEW || depth == LEFT {
            return false;
        }
        let known = marks.union(self.spread[source as usize]).union(self.spread[target as usize]);
        known.union(self.above(depth)).covers(self.wanted)
    }

    /// Spreads marks along an arc and on from its target; a state of an accepting cycle, if that shows one.
    fn spread<G: Graph<Marks = M>, H: Handle>(
        &mut self,
        x: &mut Explorer<G, H>,
        source: u32,
        marks: M,
        target: u32,
        go_on: GoOn<'_>,
    ) -> Result<Option<u32>, End> {
        if self.closes(source, marks, target) {
            return Ok(Some(target));
        }
        if self.spread[target as usize].covers(marks) {
            return Ok(None);
        }
        self.spread[target as usize] = self.spread[target as usize].union(marks);
        let mut work = vec![target];
        while let Some(at) = work.pop() {
            x.expand(at)?;
            x.visited_again(go_on)?;
            for i in 0..x.targets.len() {
                let to = x.targets[i].id;
                // What was only stored, or stored by this very expansion, is not part of the search yet.
                if self.depths.get(to as usize).is_none_or(|d| *d == NEW) {
                    continue;
                }
                if self.closes(at, marks, to) {
                    return Ok(Some(to));
                }
                if !self.spread[to as usize].covers(marks) {
                    self.spread[to as usize] = self.spread[to as usize].union(marks);
                    work.push(to);
                }
            }
        }
        Ok(None)
    }
}
