//! A system times a property automaton, over the labels of its states.
//!
//! A [`PropertyAutomaton`] is a Büchi automaton that reads, at each state of a run, which propositions hold there (as SmallState
//! multiplies a Kripke structure with an automaton). [`WithAutomaton`] is the synchronous product as a machine: its states
//! are those of the system with the automaton's state in a *slot* that the system leaves alone, and an edge of the automaton
//! belongs to each move. Where the system has no moves its run stays for ever in the state, and the automaton moves on alone.
//! Systems whose states have no slot get one by [`Prefixed`].
//!
//! The automaton reads the state that a move leaves. Failures of the system are no violations of the property; a search for
//! safety reports them. Here they only tell which steps lead nowhere. A proposition that cannot be evaluated where an edge asks for it is a
//! failure of the property ([`UNKNOWN`]), and so is a step to a state at which the automaton has seen enough ([`ENDED`]).
//!
//! Successors are made by the system in batches, once for all edges of the automaton that can be taken; further edges get
//! copies.

use crate::emptiness::cached::{SmallAutomaton, SmallState};
use crate::emptiness::product::Parts;
use ferrospin_system::{
    Arrival, AtomicExits, Batch, Control, Failure, FailureCode, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS,
    StateRun, Step,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The code of a failure of no process: a proposition that an edge asks for cannot be evaluated.
pub const UNKNOWN: FailureCode = FailureCode { number: u16::MAX, operands: [0, 0] };
/// The code of a failure of no process: the automaton has seen enough, whatever follows.
pub const ENDED: FailureCode = FailureCode { number: u16::MAX - 1, operands: [0, 0] };

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

impl AutomatonEdge {
    #[inline]
    fn admits(&self, labels: Labels) -> bool {
        self.guard.iter().any(|cube| cube.admits(labels.0))
    }

    fn asked(&self) -> Labels {
        Labels(self.guard.iter().fold(0, |all, cube| all | cube.holding | cube.failing))
    }
}

/// A state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AutomatonState {
    /// Whether runs that pass it again and again are accepted.
    pub accepts: bool,
    /// Whether a run that reaches it is a violation, whatever follows.
    pub ends: bool,
    /// The strongly connected component with an accepting cycle that it lies in, from 1; 0 where there is none.
    pub component: u16,
    /// Its edges.
    pub edges: Vec<AutomatonEdge>,
}

/// Where the automaton's state stands in a state of the product, and how states and edges are numbered outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slot {
    /// The first byte of the number.
    pub at: usize,
    /// How many bytes it takes: 1, 2 or 4.
    pub size: usize,
    /// The number of each state.
    pub numbers: Vec<u32>,
    /// The number of each edge, state by state, as [`Move::property`] tells it.
    pub edges: Vec<u32>,
}

/// See the module. State 0 is the initial one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PropertyAutomaton {
    states: Vec<AutomatonState>,
    /// Where the edges of each state begin among all edges.
    firsts: Vec<u32>,
    slot: Slot,
    /// States by their number in the slot.
    by_number: Vec<u16>,
    /// Targets of edges by their number outside.
    targets: FxHashMap<u32, u32>,
    /// What the edges of each state ask for.
    asked: Vec<Labels>,
}

/// Bytes of the automaton's state before those of the system's, for [`Prefixed`].
const HEAD: usize = 2;
/// No state has this number.
const NO_STATE: u16 = u16::MAX;

impl PropertyAutomaton {
    /// An automaton whose state stands in front, for [`Prefixed`]; the components of its states are computed here.
    ///
    /// # Panics
    /// Panics when an edge leads nowhere, or there are no states or more than 65,534.
    pub fn new(states: Vec<AutomatonState>) -> Self {
        let edges: usize = states.iter().map(|s| s.edges.len()).sum();
        let (numbers, edges) = ((0..states.len() as u32).collect(), (0..edges as u32).collect());
        PropertyAutomaton::placed(states, Slot { at: 0, size: HEAD, numbers, edges })
    }

    /// An automaton whose state stands in a slot; the components of its states are computed here.
    ///
    /// # Panics
    /// As [`PropertyAutomaton::new`]; and when a state or an edge has no number.
    pub fn placed(states: Vec<AutomatonState>, slot: Slot) -> Self {
        assert!((1..usize::from(NO_STATE)).contains(&states.len()), "states are numbered by two bytes");
        let is_sound = states.iter().flat_map(|s| &s.edges).all(|e| (e.target as usize) < states.len());
        assert!(is_sound, "edges lead to states");
        let asked = states.iter().map(|s| s.edges.iter().fold(Labels::NONE, |all, e| all | e.asked())).collect();
        let mut automaton = PropertyAutomaton { states, slot, asked, ..PropertyAutomaton::default() };
        let mut first = 0;
        for state in &automaton.states {
            automaton.firsts.push(first);
            first += state.edges.len() as u32;
        }
        let (numbers, edges) = (&automaton.slot.numbers, &automaton.slot.edges);
        assert!(numbers.len() == automaton.states.len() && edges.len() == first as usize, "all have numbers");
        let most = numbers.iter().max().map_or(0, |n| *n as usize);
        automaton.by_number = vec![NO_STATE; most + 1];
        (0..).zip(numbers).for_each(|(state, n)| automaton.by_number[*n as usize] = state);
        let targets = automaton.states.iter().flat_map(|s| &s.edges).map(|e| e.target);
        automaton.targets = edges.iter().copied().zip(targets).collect();
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
        let state = |n: &u16| self.states.get(usize::from(*n));
        Parts {
            at: self.slot.at,
            size: self.slot.size,
            of: self.by_number.iter().map(|n| state(n).map_or(0, |s| s.component)).collect(),
            accepts: self.by_number.iter().map(|n| state(n).is_some_and(|s| s.accepts)).collect(),
        }
    }

    /// The automaton for a search that keeps the graph of the system, where it is small enough for that.
    pub fn small(&self) -> Option<SmallAutomaton> {
        let is_small =
            self.states.len() <= SmallAutomaton::LOCATIONS_MAX && self.edge_count() <= SmallAutomaton::EDGES_MAX;
        let state = |(number, s): (&u32, &AutomatonState)| SmallState {
            number: *number,
            targets: s.edges.iter().map(|e| e.target as usize).collect(),
            accepts: s.accepts,
            part: s.component,
            ends: s.ends,
        };
        let locations = || self.slot.numbers.iter().zip(&self.states).map(state).collect();
        is_small.then(|| SmallAutomaton { at: self.slot.at, size: self.slot.size, locations: locations() })
    }

    /// The edges of some states, by index, that can be taken where a system's state has these labels: one bit for each edge
    /// of the automaton. `None` where some proposition that they ask for cannot be evaluated. For automata that have a
    /// [`PropertyAutomaton::small`].
    pub(crate) fn letter(
        &self,
        machine: &mut (impl Machine + ?Sized),
        state: &[u8],
        of: std::ops::Range<usize>,
    ) -> Option<u64> {
        let asked = self.asked[of.clone()].iter().fold(Labels::NONE, |all, asked| all | *asked);
        let labels = machine.labels(state, asked);
        if labels.has(Labels::UNKNOWN) {
            return None;
        }
        let first = self.firsts[of.start];
        let edges = (first..).zip(self.states[of].iter().flat_map(|s| &s.edges));
        Some(edges.fold(0, |letter, (i, e)| letter | u64::from(e.admits(labels)) << i))
    }

    /// The edges of a state, with their numbers among all.
    fn edges(&self, state: usize) -> impl Iterator<Item = (u32, &AutomatonEdge)> {
        (self.firsts[state]..).zip(&self.states[state].edges)
    }

    #[inline]
    fn state_of(&self, state: &[u8]) -> usize {
        let bytes = &state[self.slot.at..][..self.slot.size];
        let number = bytes.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
        usize::from(self.by_number[number])
    }

    #[inline]
    fn write(&self, state: &mut [u8], to: u32) {
        let number = self.slot.numbers[to as usize].to_le_bytes();
        state[self.slot.at..][..self.slot.size].copy_from_slice(&number[..self.slot.size]);
    }
}

/// See the module.
pub struct WithAutomaton<M> {
    machine: M,
    automaton: Arc<PropertyAutomaton>,
    /// The edges that can be taken: their numbers outside and their targets.
    enabled: Vec<(u32, u32)>,
    system: Moves,
    failures: Vec<Failure>,
}

impl<M: Machine> WithAutomaton<M> {
    /// The product. The machine must tell the propositions of the automaton as its labels, and leave its slot alone.
    pub fn new(machine: M, automaton: Arc<PropertyAutomaton>) -> Self {
        WithAutomaton { machine, automaton, enabled: Vec::new(), system: Moves::default(), failures: Vec::new() }
    }

    /// Finds the edges that can be taken from a state; adds what cannot be evaluated to the failures.
    #[inline]
    fn look(&mut self, state: &[u8], failures: &mut Vec<Failure>) {
        let automaton = &*self.automaton;
        let at = automaton.state_of(state);
        let labels = self.machine.labels(state, automaton.asked[at]);
        self.enabled.clear();
        for (number, edge) in automaton.edges(at) {
            let name = automaton.slot.edges[number as usize];
            if labels.has(Labels::UNKNOWN) && self.machine.labels(state, edge.asked()).has(Labels::UNKNOWN) {
                failures.push(Failure { code: UNKNOWN, edge: name, process: NO_PROCESS });
            } else if edge.admits(labels) {
                self.enabled.push((name, edge.target));
            }
        }
    }

    fn ended(&self, edge: u32, target: u32) -> Option<Failure> {
        let ends = self.automaton.states[target as usize].ends;
        ends.then_some(Failure { code: ENDED, edge, process: NO_PROCESS })
    }

    /// The automaton moves on alone.
    fn alone(edge: u32, control: Control) -> Move {
        Move { property: edge, stutter: control == Control::Free, ..Move::single(NO_PROCESS, NO_EDGE) }
    }

    /// Multiplies the moves of the system, which have been taken, with the edges that can be taken from the state.
    fn multiply(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch, (arrived, failed): (usize, usize)) {
        moves.failures.clear();
        self.look(state, &mut moves.failures);
        let failures = out.failures.len();
        let (count, arrivals) = (moves.list.len(), out.arrivals.len() - arrived);
        if self.enabled.is_empty() {
            moves.list.clear();
            out.arrivals.truncate(arrived);
            out.failures.truncate(failed);
        }
        for (round, (edge, target)) in self.enabled.iter().copied().enumerate() {
            if count == 0 {
                let top = moves.list.len() as u32;
                moves.list.push(Self::alone(edge, Control::Free));
                out.push(top, &Step { control: Control::Property, failure: None, proceeds: true }, state);
                let start = out.bytes.len() - state.len();
                self.automaton.write(&mut out.bytes[start..], target);
                out.failures.extend(self.ended(edge, target).map(|f| (top, f)));
                continue;
            }
            if round > 0 {
                moves.list.extend_from_within(..count);
            }
            moves.list[round * count..].iter_mut().for_each(|m| m.property = edge);
            for i in failed..failures {
                let (top, failure) = out.failures[i];
                if round > 0 {
                    out.failures.push((top + (round * count) as u32, failure));
                }
            }
            if arrivals == 0 {
                // The automaton has seen the state, though every step from there fails.
                out.failures.extend(self.ended(edge, target).map(|f| ((round * count) as u32, f)));
            }
            for i in 0..arrivals {
                let mut a = out.arrivals[arrived + i];
                if round > 0 {
                    let (start, len) = (a.start as usize, a.len as usize);
                    a.start = u32::try_from(out.bytes.len()).expect("a batch stays below 4 GiB");
                    a.top += (round * count) as u32;
                    out.bytes.extend_from_within(start..start + len);
                    out.arrivals.push(a);
                }
                self.automaton.write(&mut out.bytes[a.start as usize..], target);
                out.failures.extend(self.ended(edge, target).map(|f| (a.top, f)));
            }
        }
    }

    /// Multiplies successors that stand at even distances from `first` on. False, and nothing was done, where something is
    /// out of the ordinary.
    #[inline]
    fn multiply_run(&mut self, state: &[u8], run: &mut StateRun, out: &mut Batch, first: usize) -> bool {
        let mut failures = std::mem::take(&mut self.failures);
        failures.clear();
        self.look(state, &mut failures);
        let ends = |(_, target): &(u32, u32)| self.automaton.states[*target as usize].ends;
        let is_odd = self.enabled.is_empty() || !failures.is_empty() || self.enabled.iter().any(ends);
        self.failures = failures;
        if is_odd {
            return false;
        }
        let count = run.moves.len();
        let size = count * run.stride;
        if self.enabled.len() > 1 {
            out.bytes.resize(first + size, 0);
        }
        for (round, (edge, target)) in self.enabled.iter().copied().enumerate() {
            if round > 0 {
                run.moves.extend_from_within(..count);
                out.bytes.extend_from_within(first..first + size);
            }
            run.moves[round * count..].iter_mut().for_each(|m| m.property = edge);
            let start = first + round * size;
            for i in 0..count {
                self.automaton.write(&mut out.bytes[start + i * run.stride..], target);
            }
        }
        run.ends.clear();
        run.ends.push(run.moves.len() as u32);
        true
    }
}

impl<M: Machine> Machine for WithAutomaton<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(out)?;
        self.automaton.write(out, 0);
        Ok(())
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        if matches!(control, Control::Exclusive(_)) {
            self.machine.moves(state, control, out);
            out.failures.clear();
            return;
        }
        out.clear();
        let mut system = std::mem::take(&mut self.system);
        self.machine.moves(state, Control::Free, &mut system);
        self.look(state, &mut out.failures);
        for (edge, _) in &self.enabled {
            if system.list.is_empty() {
                out.list.push(Self::alone(*edge, control));
            }
            out.list.extend(system.list.iter().map(|mv| Move { property: *edge, ..*mv }));
        }
        self.system = system;
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let mut step = if mv.process == NO_PROCESS {
            out.clear();
            out.extend_from_slice(state);
            // The automaton moves on alone twice for each stored state, as SPIN does it.
            let control = if mv.stutter { Control::Property } else { Control::Free };
            Step { control, failure: None, proceeds: true }
        } else {
            let own = Move { property: NO_EDGE, ..*mv };
            self.machine.apply(state, &own, out)
        };
        if step.proceeds && mv.property != NO_EDGE {
            let target = *self.automaton.targets.get(&mv.property).expect("an edge of the automaton");
            self.automaton.write(out, target);
            step.failure = self.ended(mv.property, target).or(step.failure);
        }
        // The automaton has seen the state before a step that fails.
        if let (false, Some(target)) = (step.proceeds, self.automaton.targets.get(&mv.property)) {
            step.failure = self.ended(mv.property, *target).or(step.failure);
        }
        step
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        let before = (out.arrivals.len(), out.failures.len());
        self.machine.expand(state, moves, out);
        self.multiply(state, moves, out, before);
    }

    /// One state of the run.
    fn expand_run(
        &mut self,
        states: &[u8],
        len: usize,
        run: &mut StateRun,
        moves: &mut Moves,
        out: &mut Batch,
    ) -> bool {
        let state = &states[..len];
        let (before, first) = ((out.arrivals.len(), out.failures.len()), out.bytes.len());
        let asked = (std::mem::take(&mut run.runs_on), std::mem::take(&mut run.takes_ends));
        let is_listed = self.machine.expand_run(state, len, run, moves, out);
        (run.runs_on, run.takes_ends) = asked;
        if is_listed {
            self.multiply(state, moves, out, before);
            return true;
        }
        if run.ends.is_empty() || self.multiply_run(state, run, out, first) {
            return false;
        }
        moves.clear();
        std::mem::swap(&mut moves.list, &mut run.moves);
        run.ends.clear();
        for top in 0..moves.list.len() {
            let start = u32::try_from(first + top * run.stride).expect("a batch stays below 4 GiB");
            out.arrivals.push(Arrival { top: top as u32, start, len: len as u32, control: Control::Free });
        }
        self.multiply(state, moves, out, before);
        true
    }

    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control {
        self.machine.run_on(state, control, path)
    }

    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        self.machine.walk(state, control, out, ways)
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        // What the system accepts says nothing about the property.
        let of_system = Labels(asked.0 & !Labels::ACCEPT.0);
        let accepts = self.automaton.states[self.automaton.state_of(state)].accepts;
        self.machine.labels(state, of_system) | Labels::ACCEPT.when(accepts && asked.has(Labels::ACCEPT))
    }
}

/// A machine whose states get a slot in front, which it leaves alone: see the module.
pub struct Prefixed<M> {
    machine: M,
    successor: Vec<u8>,
}

impl<M: Machine> Prefixed<M> {
    /// The same machine with longer states.
    pub fn new(machine: M) -> Self {
        Prefixed { machine, successor: Vec::new() }
    }
}

impl<M: Machine> Machine for Prefixed<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(&mut self.successor)?;
        out.clear();
        out.extend_from_slice(&[0; HEAD]);
        out.extend_from_slice(&self.successor);
        Ok(())
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.machine.moves(&state[HEAD..], control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let step = self.machine.apply(&state[HEAD..], mv, &mut self.successor);
        out.clear();
        out.extend_from_slice(&state[..HEAD]);
        out.extend_from_slice(&self.successor);
        step
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        self.machine.labels(&state[HEAD..], asked)
    }
}
