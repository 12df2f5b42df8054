//! Several marks folded into one by copies of the graph (Choueka 1974), for searches that know one mark.
//!
//! A state carries a counter: which wanted mark is waited for. An arc moves the counter past every mark it carries, in
//! order; when the last was seen the arc is accepting and the counter starts again. With `k` marks there are up to `k`
//! copies of a state: this is what weak fairness costs a nested search.
//!
//! Where arcs may lie outside, copy 0 is the part of a run before its cycle: at any arc that lies inside the run may
//! enter the other copies, and stays among inside arcs from then on.

use super::marks::MarkSet;
use super::{Arcs, Graph};

/// The copy of the part before the cycle.
const BEFORE: u16 = 0;

/// A state and its copy.
fn split(state: &[u8]) -> (&[u8], u16) {
    let (state, copy) = state.split_last_chunk::<2>().expect("a state carries its counter");
    (state, u16::from_le_bytes(*copy))
}

/// A graph with one mark that has an accepting cycle if and only if the graph inside has one.
pub struct Copies<G: Graph> {
    graph: G,
    wanted: Vec<usize>,
    arcs: Arcs<G::Marks>,
    /// Index of the inner arc for each arc made last.
    origins: Vec<usize>,
}

impl<G: Graph> Copies<G> {
    /// The graph with copies.
    pub fn new(graph: G) -> Self {
        let wanted = graph.wanted();
        let wanted = (0..G::Marks::BITS).filter(|m| wanted.has(*m)).collect();
        Copies { graph, wanted, arcs: Arcs::default(), origins: Vec::new() }
    }

    /// Where the counter goes along an arc, and whether it starts again.
    fn count(&self, counter: usize, marks: G::Marks) -> (usize, bool) {
        let mut at = counter;
        while at < self.wanted.len() && marks.has(self.wanted[at]) {
            at += 1;
        }
        if at < self.wanted.len() {
            return (at, false);
        }
        // The arc may carry the first marks of the next round too, but not the whole of it twice.
        let mut at = 0;
        while at < counter && marks.has(self.wanted[at]) {
            at += 1;
        }
        (at, true)
    }

    fn make(&mut self, state: &[u8], out: &mut Arcs<u8>) {
        let mut origins = std::mem::take(&mut self.origins);
        origins.clear();
        let (state, copy) = split(state);
        self.arcs.clear();
        self.graph.expand(state, &mut self.arcs);
        out.halt = self.arcs.halt;
        out.cut = self.arcs.cut;
        out.inner_steps = self.arcs.inner_steps;
        let mut put = |target: &[u8], copy: u16, accepting: bool, origin: usize| {
            out.push_parts(target, &copy.to_le_bytes(), u8::from(accepting), true);
            origins.push(origin);
        };
        for i in 0..self.arcs.list.len() {
            let (target, arc) = (self.arcs.target(i), self.arcs.list[i]);
            if copy == BEFORE {
                put(target, BEFORE, false, i);
                if arc.inside {
                    put(target, 1, false, i);
                }
            } else if arc.inside {
                let (counter, accepting) = self.count(usize::from(copy) - 1, arc.marks);
                put(target, counter as u16 + 1, accepting, i);
            }
        }
        self.origins = origins;
    }
}

impl<G: Graph> Graph for Copies<G> {
    type Marks = u8;
    type Label = G::Label;

    fn wanted(&self) -> u8 {
        1
    }

    fn restricts(&self) -> bool {
        false
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        let there = self.graph.initial(out);
        let copy = if self.graph.restricts() { BEFORE } else { 1 };
        out.extend_from_slice(&copy.to_le_bytes());
        there
    }

    fn expand(&mut self, state: &[u8], out: &mut Arcs<u8>) {
        self.make(state, out);
    }

    fn label(&mut self, state: &[u8], arc: usize) -> G::Label {
        self.make(state, &mut Arcs::default());
        let origin = self.origins[arc];
        self.graph.label(split(state).0, origin)
    }

    fn end_label(&mut self, state: &[u8]) -> G::Label {
        self.graph.end_label(split(state).0)
    }

    fn follows_path(&self) -> bool {
        self.graph.follows_path()
    }

    fn entered(&mut self) {
        self.graph.entered();
    }

    fn left(&mut self) {
        self.graph.left();
    }
}
