//! A system times a property automaton, over the labels of its states.
//!
//! A [`PropertyAutomaton`] is a Büchi automaton that reads, at each state of a run, which propositions hold there (as Spot
//! multiplies a Kripke structure with an automaton). [`WithAutomaton`] is the synchronous product as a machine: its states
//! are those of the system with the automaton's state before them, and an edge of the automaton belongs to each move. Where
//! the system has no moves its run stays for ever in the state, and the automaton moves on alone.
//!
//! The automaton reads the state that a move leaves. Failures of the system are no business of the property, and no
//! violations of it; a search for safety reports them.

use crate::emptiness::kept::{Spot, Watcher};
use crate::emptiness::product::Parts;
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS, Step};
use std::sync::Arc;

/// Which labels an edge asks for: a product of literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cube {
    /// Propositions that must hold, as bits.
    pub holding: u64,
    /// Propositions that must not.
    pub failing: u64,
}

impl Cube {
    /// Whether a state with these labels meets it.
    #[inline]
    pub fn admits(self, labels: u64) -> bool {
        labels & self.holding == self.holding && labels & self.failing == 0
    }
}

/// An edge of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonEdge {
    /// It can be taken where one of these is met.
    pub guard: Vec<Cube>,
    /// The state it leads to.
    pub target: u32,
}

/// A state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AutomatonState {
    /// Whether runs that pass it again and again are accepted.
    pub accepts: bool,
    /// The strongly connected component with an accepting cycle that it lies in, from 1; 0 where there is none.
    pub component: u16,
    /// Its edges.
    pub edges: Vec<AutomatonEdge>,
}

/// See the module. State 0 is the initial one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PropertyAutomaton {
    states: Vec<AutomatonState>,
    /// Where the edges of each state begin among all edges.
    firsts: Vec<u32>,
}

/// Bytes of the automaton's state before those of the system's.
const HEAD: usize = 2;

impl PropertyAutomaton {
    /// An automaton; the components of its states are computed here.
    ///
    /// # Panics
    /// Panics when an edge leads nowhere, or there are no states or more than 65,535.
    pub fn new(states: Vec<AutomatonState>) -> Self {
        assert!((1..=usize::from(u16::MAX)).contains(&states.len()), "states are numbered by two bytes");
        let is_sound = states.iter().flat_map(|s| &s.edges).all(|e| (e.target as usize) < states.len());
        assert!(is_sound, "edges lead to states");
        let mut automaton = PropertyAutomaton { states, firsts: Vec::new() };
        let mut first = 0;
        for state in &automaton.states {
            automaton.firsts.push(first);
            first += state.edges.len() as u32;
        }
        automaton.find_components();
        automaton
    }

    /// Its states.
    pub fn states(&self) -> &[AutomatonState] {
        &self.states
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|s| s.edges.len()).sum()
    }

    /// Automata are small: which states reach which is a matrix.
    fn find_components(&mut self) {
        let count = self.states.len();
        let reaches: Vec<Vec<bool>> = (0..count)
            .map(|from| {
                let mut reached = vec![false; count];
                let mut stack: Vec<usize> = vec![from];
                while let Some(s) = stack.pop() {
                    for edge in &self.states[s].edges {
                        if !std::mem::replace(&mut reached[edge.target as usize], true) {
                            stack.push(edge.target as usize);
                        }
                    }
                }
                reached
            })
            .collect();
        self.states.iter_mut().for_each(|s| s.component = 0);
        let mut last = 0;
        for (s, reached) in reaches.iter().enumerate() {
            let component: Vec<usize> = (0..count).filter(|t| reached[*t] && reaches[*t][s]).collect();
            let is_new = component.iter().all(|t| self.states[*t].component == 0);
            if is_new && component.iter().any(|t| self.states[*t].accepts) {
                last += 1;
                component.iter().for_each(|t| self.states[*t].component = last);
            }
        }
    }

    /// What a search may use of it, where its states stand in those of the product.
    pub fn parts(&self) -> Parts {
        Parts {
            at: 0,
            size: HEAD,
            of: self.states.iter().map(|s| s.component).collect(),
            accepts: self.states.iter().map(|s| s.accepts).collect(),
        }
    }

    /// The automaton for a search that keeps the graph of the system, where it is small enough for that.
    pub fn watcher(&self) -> Option<Watcher> {
        let is_small = self.states.len() <= Watcher::LOCATIONS_MAX && self.edge_count() <= Watcher::EDGES_MAX;
        let spot = |(number, s): (usize, &AutomatonState)| Spot {
            number: number as u32,
            targets: s.edges.iter().map(|e| e.target as usize).collect(),
            accepts: s.accepts,
            part: s.component,
            ends: false,
        };
        is_small.then(|| Watcher { at: 0, size: HEAD, locations: self.states.iter().enumerate().map(spot).collect() })
    }

    /// The edges that can be taken from a state where these labels hold, by their number among all.
    fn enabled(&self, state: usize, labels: u64) -> impl Iterator<Item = u32> + '_ {
        let edges = (self.firsts[state]..).zip(&self.states[state].edges);
        edges.filter(move |(_, e)| e.guard.iter().any(|cube| cube.admits(labels))).map(|(number, _)| number)
    }

    fn target(&self, edge: u32) -> u16 {
        let from = self.firsts.partition_point(|first| *first <= edge) - 1;
        // States without edges share their first edge with the next state.
        let state = &self.states[from];
        state.edges[(edge - self.firsts[from]) as usize].target as u16
    }
}

/// See the module.
pub struct WithAutomaton<M> {
    machine: M,
    automaton: Arc<PropertyAutomaton>,
    /// Whether the automaton stays where it is: see [`Machine::part`].
    is_parted: bool,
    system: Moves,
    successor: Vec<u8>,
}

impl<M: Machine> WithAutomaton<M> {
    /// The product. The machine must tell the propositions of the automaton as its labels.
    pub fn new(machine: M, automaton: Arc<PropertyAutomaton>) -> Self {
        WithAutomaton { machine, automaton, is_parted: false, system: Moves::default(), successor: Vec::new() }
    }
}

fn automaton_state(state: &[u8]) -> usize {
    usize::from(u16::from_le_bytes([state[0], state[1]]))
}

impl<M: Machine> Machine for WithAutomaton<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(&mut self.successor)?;
        out.clear();
        out.extend_from_slice(&[0; HEAD]);
        out.extend_from_slice(&self.successor);
        Ok(())
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        let system = &state[HEAD..];
        if self.is_parted || matches!(control, Control::Exclusive(_)) {
            self.machine.moves(system, control, out);
            out.failures.clear();
            return;
        }
        out.clear();
        self.machine.moves(system, control, &mut self.system);
        let labels = self.machine.labels(system, Labels::PROPOSITIONS).0;
        for edge in self.automaton.enabled(automaton_state(state), labels) {
            if self.system.list.is_empty() {
                let alone = Move::single(NO_PROCESS, NO_EDGE);
                out.list.push(Move { claim: edge, stutter: control == Control::Free, ..alone });
            }
            out.list.extend(self.system.list.iter().map(|mv| Move { claim: edge, ..*mv }));
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let step = if mv.process == NO_PROCESS {
            self.successor.clear();
            self.successor.extend_from_slice(&state[HEAD..]);
            // The automaton moves on alone twice for each stored state, as SPIN does it.
            let control = if mv.stutter { Control::Claim } else { Control::Free };
            Step { control, failure: None, proceeds: true }
        } else {
            let own = Move { claim: NO_EDGE, ..*mv };
            let step = self.machine.apply(&state[HEAD..], &own, &mut self.successor);
            Step { failure: None, ..step }
        };
        out.clear();
        match mv.claim {
            NO_EDGE => out.extend_from_slice(&state[..HEAD]),
            edge => out.extend_from_slice(&self.automaton.target(edge).to_le_bytes()),
        }
        out.extend_from_slice(&self.successor);
        step
    }

    fn part(&mut self) -> bool {
        self.is_parted = true;
        true
    }

    fn guards(&mut self, state: &[u8], locations: &[u32]) -> Option<u64> {
        let labels = self.machine.labels(&state[HEAD..], Labels::PROPOSITIONS).0;
        let (mut bits, mut bit) = (0, 0);
        for location in locations {
            for edge in &self.automaton.states[*location as usize].edges {
                bits |= u64::from(edge.guard.iter().any(|cube| cube.admits(labels))) << bit;
                bit += 1;
            }
        }
        Some(bits)
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        // What the system accepts says nothing about the property.
        let of_system = Labels(asked.0 & !Labels::ACCEPT.0);
        let accepts = self.automaton.states[automaton_state(state)].accepts;
        self.machine.labels(&state[HEAD..], of_system) | Labels::ACCEPT.when(accepts && asked.has(Labels::ACCEPT))
    }

    fn process_count(&mut self, state: &[u8]) -> usize {
        self.machine.process_count(&state[HEAD..])
    }
}
