//! Automata on infinite words with marks on edges.
//!
//! A transition-based generalised Büchi automaton accepts a word if some run on it sees every mark infinitely often.
//! A Büchi automaton is the special case of one mark that sits on all edges of an accepting state or on none.
//! Between two states there is at most one edge with the same marks: labels are united.

use crate::scc::Components;
use crate::{Label, Labels};

/// A set of marks, one per bit.
pub type Marks = u64;

/// Index of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// Where it leads.
    pub target: StateId,
    /// The marks on it.
    pub marks: Marks,
    /// The letters that take it; never empty.
    pub label: Label,
}

/// A generalised Büchi automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// Outgoing edges of each state.
    pub edges: Vec<Vec<Edge>>,
    /// Where runs begin.
    pub initial: StateId,
    /// How many marks there are; with none, every infinite run accepts.
    pub mark_count: u32,
    /// Whether acceptance belongs to states: one mark, on all edges of a state or on none of them.
    pub state_based: bool,
}

impl Automaton {
    /// The automaton that accepts nothing: one state, no edge.
    pub fn empty() -> Self {
        Self { edges: vec![Vec::new()], initial: StateId(0), mark_count: 0, state_based: false }
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// How many edges there are, edges with different labels but equal ends and marks counted once.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The set of all marks.
    pub fn all_marks(&self) -> Marks {
        all_marks(self.mark_count)
    }

    /// Which states lie on a cycle. What others are marked with says nothing: no run is there again and again.
    pub fn recurrent(&self) -> Vec<bool> {
        let components = Components::new(self);
        let of = |s: StateId| components.of[s.0 as usize] != u32::MAX;
        self.states().map(|s| of(s) && !components.trivial(components.component(s))).collect()
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.edges.len() as u32).map(StateId)
    }

    /// Outgoing edges of a state.
    pub fn out(&self, state: StateId) -> &[Edge] {
        &self.edges[state.0 as usize]
    }

    /// Whether a state of a Büchi automaton accepts. With no mark, every state does.
    pub fn accepting(&self, state: StateId) -> bool {
        debug_assert!(self.state_based, "acceptance belongs to edges");
        !self.out(state).is_empty() && self.out(state).iter().all(|e| e.marks == self.all_marks())
    }

    /// Unites edges with equal ends and marks, drops empty ones, and sorts the rest.
    pub fn merge_edges(&mut self, labels: &mut Labels) {
        for edges in &mut self.edges {
            edges.retain(|e| e.label != Label::FALSE);
            edges.sort_unstable();
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for e in edges.iter() {
                match merged.last_mut() {
                    Some(last) if (last.target, last.marks) == (e.target, e.marks) => {
                        last.label = labels.or(last.label, e.label);
                    }
                    _ => merged.push(*e),
                }
            }
            *edges = merged;
        }
    }

    /// Keeps the states for which `keep` says so, and those reachable, numbered in order of a breadth-first visit
    /// from the initial state, which always stays.
    pub fn restrict(&mut self, keep: impl Fn(StateId) -> bool) {
        let mut number = vec![u32::MAX; self.edges.len()];
        let mut order = vec![self.initial];
        number[self.initial.0 as usize] = 0;
        let mut at = 0;
        while at < order.len() {
            let s = order[at];
            at += 1;
            for e in &self.edges[s.0 as usize] {
                if keep(e.target) && number[e.target.0 as usize] == u32::MAX {
                    number[e.target.0 as usize] = order.len() as u32;
                    order.push(e.target);
                }
            }
        }
        let mut edges = Vec::with_capacity(order.len());
        for s in order {
            let mut list = std::mem::take(&mut self.edges[s.0 as usize]);
            list.retain(|e| number[e.target.0 as usize] != u32::MAX);
            list.iter_mut().for_each(|e| e.target = StateId(number[e.target.0 as usize]));
            edges.push(list);
        }
        self.edges = edges;
        self.initial = StateId(0);
    }
}

/// The set of the first `count` marks.
pub(crate) fn all_marks(count: u32) -> Marks {
    if count >= 64 { Marks::MAX } else { (1 << count) - 1 }
}
