//! A graph beside a testing automaton, which reads changes of the propositions (see `ferrospin_ltl::Testing`).
//!
//! A state carries the state of the automaton behind its own. An arc along which no proposition changes leaves the
//! automaton where it is; one along which some do moves it, or dies where the automaton has no such edge. When all that
//! is looked for are livelocks, arcs without change in a livelock state lie inside, and [`super::livelock`] finds a
//! cycle of them in one pass. Otherwise the single-pass form makes one mark of it all, for every search there is.

use super::{Arcs, Graph};

/// A testing automaton, as tables.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Initial states by the first letter.
    pub initial: Vec<Vec<u16>>,
    /// For each state: changed bits and target.
    pub edges: Vec<Vec<(u16, u16)>>,
    /// States that a run which changes for ever passes again and again.
    pub recurrent: Vec<bool>,
    /// States in which a run may rest for ever.
    pub livelock: Vec<bool>,
    /// In the single-pass form: the state in which a run rests for ever.
    pub rest: Option<u16>,
}

/// The automaton has not read anything.
const START: u16 = u16::MAX;

/// A graph beside a testing automaton. `letter` tells which propositions hold in a state of the graph.
pub struct Testing<G: Graph, L> {
    graph: G,
    letter: L,
    automaton: std::sync::Arc<Automaton>,
    arcs: Arcs<G::Marks>,
    /// Index of the inner arc for each arc made last.
    origins: Vec<usize>,
}

impl<G: Graph, L: FnMut(&[u8]) -> u16> Testing<G, L> {
    /// The graph beside the automaton.
    pub fn new(graph: G, automaton: std::sync::Arc<Automaton>, letter: L) -> Self {
        Testing { graph, letter, automaton, arcs: Arcs::default(), origins: Vec::new() }
    }

    fn make(&mut self, state: &[u8], out: &mut Arcs<u8>) {
        let (state, at) = split(state);
        let Testing { graph, letter, automaton, arcs, origins } = self;
        origins.clear();
        arcs.clear();
        graph.expand(state, arcs);
        (out.halt, out.cut, out.inner_steps) = (arcs.halt, arcs.cut, arcs.inner_steps);
        let here = letter(state);
        let own = [at];
        let from: &[u16] = if at == START { &automaton.initial[usize::from(here)] } else { &own };
        for i in 0..arcs.list.len() {
            let target = arcs.target(i);
            let mask = here ^ letter(target);
            for &t in from {
                let mut put = |to: u16, marks: u8, inside: bool| {
                    out.push_parts(target, &to.to_le_bytes(), marks, inside);
                    origins.push(i);
                };
                let (first, s) = (at == START, usize::from(t));
                match (mask, automaton.rest) {
                    (0, None) => put(t, 0, !first && automaton.livelock[s]),
                    (0, Some(rest)) => put(t, u8::from(!first && t == rest), true),
                    (_, rest) => {
                        let marks = u8::from(!first && automaton.recurrent[s]);
                        let edges = automaton.edges[s].iter().filter(|e| e.0 == mask);
                        edges.for_each(|e| put(e.1, marks, rest.is_some()));
                    }
                }
            }
        }
    }
}

fn split(state: &[u8]) -> (&[u8], u16) {
    let (state, at) = state.split_last_chunk::<2>().expect("a state carries that of the automaton");
    (state, u16::from_le_bytes(*at))
}

impl<G: Graph, L: FnMut(&[u8]) -> u16> Graph for Testing<G, L> {
    type Marks = u8;
    type Label = G::Label;

    fn wanted(&self) -> u8 {
        u8::from(self.automaton.rest.is_some())
    }

    fn restricts(&self) -> bool {
        self.automaton.rest.is_none()
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        let there = self.graph.initial(out);
        out.extend_from_slice(&START.to_le_bytes());
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
}
