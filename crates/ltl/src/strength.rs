//! How much an emptiness check has to do: strengths of automata and of their states.
//!
//! In a weak automaton each component accepts all its cycles or none, so that one plain search for a cycle in an
//! accepting component suffices; in a terminal one, reaching an accepting component decides, because any continuation
//! stays there (Bloem, Ravi and Somenzi, 1999). A product with a system keeps these strengths.

use crate::automaton::{Automaton, StateId};
use crate::classify::statistics;
use crate::degeneralise::every_cycle_carries;
use crate::label::{Label, Labels};
use crate::scc::Components;

/// The least that an emptiness check must do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// Look for a state whose [`Acceptance`] is `All`: reachability. Whatever follows is accepted.
    Terminal,
    /// Look for any cycle among states whose [`Acceptance`] is not `None`.
    Weak,
    /// Look for a cycle that carries all marks.
    Strong,
}

/// What a state contributes to acceptance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Acceptance {
    /// No cycle through it accepts.
    None,
    /// A cycle of its component accepts if it carries all marks; some do, some do not.
    Marks,
    /// Every cycle of its component accepts.
    Cycles,
    /// From here on everything is accepted: on every letter the run can stay in the component, all cycles of which
    /// accept.
    All,
}

impl Automaton {
    /// How strong the automaton is.
    pub fn strength(&self, labels: &mut Labels) -> Strength {
        let facts = statistics(self, labels);
        match (facts.terminal, facts.weak) {
            (true, _) => Strength::Terminal,
            (_, true) => Strength::Weak,
            _ => Strength::Strong,
        }
    }

    /// What each state contributes to acceptance; unreachable states contribute nothing.
    pub fn acceptances(&self, labels: &mut Labels) -> Vec<Acceptance> {
        let components = Components::new(self);
        let mut kinds: Vec<Acceptance> = (0..components.count)
            .map(|c| match components.accepting(c) {
                false => Acceptance::None,
                true if (0..self.mark_count).all(|m| every_cycle_carries(self, &components, c, m)) => {
                    Acceptance::Cycles
                }
                true => Acceptance::Marks,
            })
            .collect();
        let reachable = |s: &StateId| components.of[s.0 as usize] != u32::MAX;
        let mut closed = vec![true; components.count];
        for s in self.states().filter(reachable) {
            let mut stays = Label::FALSE;
            for e in self.out(s).iter().filter(|e| components.inner(s, e.target)) {
                stays = labels.or(stays, e.label);
            }
            closed[components.component(s)] &= stays == Label::TRUE;
        }
        for (kind, closed) in kinds.iter_mut().zip(closed) {
            if *kind == Acceptance::Cycles && closed {
                *kind = Acceptance::All;
            }
        }
        let of = |s: StateId| if reachable(&s) { kinds[components.component(s)] } else { Acceptance::None };
        self.states().map(of).collect()
    }

    /// The edges that a letter takes from a state; `value` tells which propositions hold in the letter.
    pub fn steps<'a>(
        &'a self,
        state: StateId,
        labels: &'a Labels,
        value: impl Fn(crate::AtomId) -> bool + 'a,
    ) -> impl Iterator<Item = &'a crate::Edge> {
        self.out(state).iter().filter(move |e| labels.contains(e.label, &value))
    }
}
