//! What an automaton is, and how large: facts that let an emptiness check take a shorter way.
//!
//! If all cycles of each component accept or none does, the automaton is weak and one plain search suffices; if
//! moreover accepting components can never be left or blocked, it is terminal and reaching one decides; if every
//! cycle accepts, it is a safety automaton and only its dead ends matter (Bloem, Ravi and Somenzi, 1999).

use crate::automaton::Automaton;
use crate::degeneralise::every_cycle_carries;
use crate::label::{Label, Labels};
use crate::scc::Components;
use std::fmt;

/// Facts about an automaton; each is decided exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// States.
    pub states: usize,
    /// Edges: triples of source, target and marks.
    pub edges: usize,
    /// Marks.
    pub marks: u32,
    /// Strongly connected components, those without cycle included.
    pub components: usize,
    /// Components with an accepting cycle.
    pub accepting_components: usize,
    /// No letter has two edges in one state.
    pub deterministic: bool,
    /// Every letter has an edge in every state.
    pub complete: bool,
    /// In each component all cycles accept or none does.
    pub weak: bool,
    /// Weak, and inside accepting components every letter has an edge that stays inside.
    pub terminal: bool,
    /// Every infinite run accepts.
    pub safety: bool,
}

/// Computes the facts; parts that are not reachable do not count.
pub fn statistics(a: &Automaton, labels: &mut Labels) -> Statistics {
    let components = Components::new(a);
    let reachable = |s: &crate::StateId| components.of[s.0 as usize] != u32::MAX;
    let (mut deterministic, mut complete, mut terminal) = (true, true, true);
    for s in a.states().filter(reachable) {
        let (mut all, mut inner) = (Label::FALSE, Label::FALSE);
        for e in a.out(s) {
            deterministic &= labels.and(all, e.label) == Label::FALSE;
            all = labels.or(all, e.label);
            if components.inner(s, e.target) {
                inner = labels.or(inner, e.label);
            }
        }
        complete &= all == Label::TRUE;
        terminal &= !components.accepting(components.component(s)) || inner == Label::TRUE;
    }
    let full = |c: usize| (0..a.mark_count).all(|mark| every_cycle_carries(a, &components, c, mark));
    let cyclic: Vec<usize> = (0..components.count).filter(|&c| !components.trivial(c)).collect();
    let weak = cyclic.iter().all(|&c| !components.accepting(c) || full(c));
    Statistics {
        states: a.state_count(),
        edges: a.edge_count(),
        marks: a.mark_count,
        components: components.count,
        accepting_components: cyclic.iter().filter(|&&c| components.accepting(c)).count(),
        deterministic,
        complete,
        weak,
        terminal: weak && terminal,
        safety: weak && cyclic.iter().all(|&c| components.accepting(c)),
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        write!(
            f,
            "{}, {}, {}, {} ({} accepting)",
            count(self.states, "state"),
            count(self.edges, "edge"),
            count(self.marks as usize, "mark"),
            count(self.components, "component"),
            self.accepting_components
        )?;
        let facts = [
            (self.deterministic, "deterministic"),
            (self.complete, "complete"),
            (self.safety, "safety"),
            (self.terminal, "terminal"),
            (self.weak && !self.terminal, "weak"),
        ];
        facts.iter().filter(|fact| fact.0).try_for_each(|fact| write!(f, ", {}", fact.1))
    }
}
