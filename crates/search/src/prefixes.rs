//! Bad prefixes of several safety formulas, watched beside a system in one search.
//!
//! A safety formula fails on a run exactly when a prefix of it is bad, and a deterministic automaton tells when
//! ([`BadPrefix`]). [`WithPrefixes`] is a machine whose moves are those of the system: nothing is
//! multiplied. The automata read each stored state, where it is expanded, and a state behind which a prefix is bad has a failure of no
//! process ([`BAD_PREFIX`]), so that every search for safety finds it, by the shortest way if it goes by levels. An automaton with a single
//! state (`[] p`) needs no memory; the states of the others are one number in a *slot* of the state that the system leaves alone.
//!
//! Inside an indivisible sequence nothing is read; where one never ends, its first letter would be read for ever, which only
//! formulas notice that count steps: they are not for such systems. Where a run stops, its last letter is. What cannot be evaluated is told as [`UNEVALUABLE`]. Formulas that have failed are not
//! watched any more ([`crate::safety::Apart`]).
//!
//! *Cost:* one question for labels at each state, and at most as many product states as a product with each formula alone.

use crate::automaton::Cube;
use ferrospin_system::{
    AtomicExits, Batch, Control, Failure, FailureCode, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS, StateRun,
    Step,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of the failure that a prefix is bad; its first operand is the number of the formula.
pub const BAD_PREFIX: u16 = u16::MAX - 2;
/// The number of the failure that a proposition cannot be evaluated; its first operand is the number of the formula.
pub const UNEVALUABLE: u16 = u16::MAX - 3;

/// How many states are read ahead of the system at first.
const AHEAD_MIN: usize = 4;
/// And at most.
const AHEAD_MAX: usize = 256;

/// An edge of a [`BadPrefix`]: when it is taken, and the state it leads to; `None` where the prefix is bad.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrefixEdge {
    /// It is taken where one of these is met.
    pub guard: Vec<Cube>,
    /// Where it leads.
    pub target: Option<u32>,
}

/// A complete deterministic automaton that tells when a prefix is bad; it begins in its first state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadPrefix {
    /// The edges of its states.
    pub states: Vec<Vec<PrefixEdge>>,
}

impl BadPrefix {
    fn asked(&self) -> Labels {
        let cubes = self.states.iter().flatten().flat_map(|e| &e.guard);
        Labels(cubes.fold(0, |all, cube| all | cube.holding | cube.failing))
    }

    /// What it does with a letter in a state.
    #[inline]
    fn read(&self, state: u32, labels: Labels) -> Option<u32> {
        let edges = &self.states[state as usize];
        edges.iter().find(|e| e.guard.iter().any(|cube| cube.admits(labels.0))).and_then(|e| e.target)
    }
}

/// Where the states of the automata stand in a state of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefixSlot {
    /// The first byte.
    pub at: usize,
    /// How many there are: 1, 2 or 4.
    pub size: usize,
}

/// Automata that are watched together.
pub struct Prefixes {
    /// Automata with a single state: the letters that are bad there, and the number of the formula.
    invariants: Vec<(Vec<Cube>, Labels, usize)>,
    /// The others.
    others: Vec<(BadPrefix, Labels, usize)>,
    slot: PrefixSlot,
    asked: Labels,
    /// The formulas that are not watched any more, as bits.
    decided: Arc<AtomicU64>,
}

impl Prefixes {
    /// Automata with the numbers of their formulas, which are below 64. `None` where their states do not fit the slot.
    pub fn new(
        automata: impl IntoIterator<Item = (usize, BadPrefix)>,
        slot: PrefixSlot,
        decided: Arc<AtomicU64>,
    ) -> Option<Prefixes> {
        let mut prefixes = Prefixes { invariants: Vec::new(), others: Vec::new(), slot, asked: Labels::NONE, decided };
        let mut numbers = 1_u64;
        for (formula, automaton) in automata {
            let asked = automaton.asked();
            prefixes.asked = prefixes.asked | asked;
            match &automaton.states[..] {
                [edges] => {
                    let bad = edges.iter().filter(|e| e.target.is_none()).flat_map(|e| e.guard.iter().copied());
                    prefixes.invariants.push((bad.collect(), asked, formula));
                }
                states => {
                    numbers = numbers.checked_mul(states.len() as u64)?;
                    prefixes.others.push((automaton, asked, formula));
                }
            }
        }
        let room = 1_u64.checked_shl(8 * slot.size as u32).unwrap_or(u64::MAX);
        (numbers <= room).then_some(prefixes)
    }

    /// Whether states of the system need no slot.
    pub fn is_stateless(&self) -> bool {
        self.others.is_empty()
    }

    #[inline]
    fn number(&self, state: &[u8]) -> u32 {
        state[self.slot.at..][..self.slot.size].iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))
    }

    fn number_or_none(&self, state: &[u8]) -> u32 {
        if self.is_stateless() { 0 } else { self.number(state) }
    }

    #[inline]
    fn write(&self, state: &mut [u8], number: u32) {
        state[self.slot.at..][..self.slot.size].copy_from_slice(&number.to_le_bytes()[..self.slot.size]);
    }

    fn is_decided(&self, formula: usize) -> bool {
        self.decided.load(Relaxed) >> formula & 1 == 1
    }

    /// The number behind a state, where nothing is bad or unknown.
    #[inline]
    fn quietly(&self, labels: Labels, state: &[u8]) -> Option<u32> {
        if labels.has(Labels::UNKNOWN) {
            return None;
        }
        let is_met = |(bad, ..): &&(Vec<Cube>, Labels, usize)| bad.iter().any(|cube| cube.admits(labels.0));
        if self.invariants.iter().filter(is_met).any(|i| !self.is_decided(i.2)) {
            return None;
        }
        if self.others.is_empty() {
            return Some(0);
        }
        let (mut rest, mut next, mut radix) = (self.number(state), 0, 1);
        for (automaton, _, formula) in &self.others {
            let count = automaton.states.len() as u32;
            let at = rest % count;
            rest /= count;
            // Whether a formula is decided changes no state: states do not depend on who was first.
            match automaton.read(at, labels) {
                Some(to) => next += to * radix,
                None if self.is_decided(*formula) => next += at * radix,
                None => return None,
            }
            radix *= count;
        }
        Some(next)
    }

    /// The number behind a state at which something is bad or unknown, and what.
    #[cold]
    fn closely(
        &self,
        machine: &mut (impl Machine + ?Sized),
        state: &[u8],
        number: u32,
        failures: &mut Vec<Failure>,
    ) -> u32 {
        let mut tell = |number, formula: usize| {
            let code = FailureCode { number, operands: [formula as i32, 0] };
            failures.push(Failure { code, edge: NO_EDGE, process: NO_PROCESS });
        };
        for (bad, asked, formula) in self.invariants.iter().filter(|i| !self.is_decided(i.2)) {
            let labels = machine.labels(state, *asked);
            if labels.has(Labels::UNKNOWN) {
                tell(UNEVALUABLE, *formula);
            } else if bad.iter().any(|cube| cube.admits(labels.0)) {
                tell(BAD_PREFIX, *formula);
            }
        }
        if self.others.is_empty() {
            return 0;
        }
        let (mut rest, mut next, mut radix) = (number, 0, 1);
        for (automaton, asked, formula) in &self.others {
            let count = automaton.states.len() as u32;
            let at = rest % count;
            rest /= count;
            let labels = machine.labels(state, *asked);
            let (wrong, to) = match automaton.read(at, labels) {
                _ if labels.has(Labels::UNKNOWN) => (Some(UNEVALUABLE), at),
                None => (Some(BAD_PREFIX), at),
                Some(to) => (None, to),
            };
            wrong.filter(|_| !self.is_decided(*formula)).into_iter().for_each(|number| tell(number, *formula));
            next += to * radix;
            radix *= count;
        }
        next
    }
}

/// See the module.
pub struct WithPrefixes<M> {
    machine: M,
    prefixes: Arc<Prefixes>,
    /// How many states are read ahead of the system.
    ahead: usize,
    /// The numbers behind the states that were read.
    numbers: Vec<u32>,
}

impl<M: Machine> WithPrefixes<M> {
    /// A system whose states have a slot, if the automata need one, and tell the propositions.
    pub fn new(machine: M, prefixes: Arc<Prefixes>) -> Self {
        WithPrefixes { machine, prefixes, ahead: AHEAD_MIN, numbers: Vec::new() }
    }

    /// The number behind a state; adds what is bad there to the failures.
    fn look(&mut self, state: &[u8], failures: &mut Vec<Failure>) -> u32 {
        let labels = self.machine.labels(state, self.prefixes.asked);
        match self.prefixes.quietly(labels, state) {
            Some(number) => number,
            None => self.prefixes.closely(&mut self.machine, state, self.prefixes.number_or_none(state), failures),
        }
    }

    /// A run that stops in a state stays there for ever: its letter is read again and again.
    #[cold]
    fn stop(&mut self, state: &[u8], mut number: u32, failures: &mut Vec<Failure>) {
        let longest = self.prefixes.others.iter().map(|(automaton, ..)| automaton.states.len()).max().unwrap_or(0);
        for _ in 0..longest {
            let known = failures.len();
            number = self.prefixes.closely(&mut self.machine, state, number, failures);
            for i in (known..failures.len()).rev() {
                if failures[..i].contains(&failures[i]) {
                    failures.remove(i);
                }
            }
        }
    }

    /// Writes a number into successors that were added to a batch.
    fn write_all(&self, number: u32, arrived: usize, out: &mut Batch) {
        let Batch { bytes, arrivals, .. } = out;
        for a in &arrivals[arrived..] {
            self.prefixes.write(&mut bytes[a.start as usize..][..a.len as usize], number);
        }
    }

    fn settle(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch, arrived: usize) {
        let number = self.look(state, &mut moves.failures);
        if !self.prefixes.is_stateless() {
            if moves.list.is_empty() {
                self.stop(state, number, &mut moves.failures);
            }
            moves.list.iter_mut().for_each(|mv| mv.property = number);
            self.write_all(number, arrived, out);
        }
    }

    /// How many of the first states nothing is said of; their numbers are noted.
    #[inline]
    fn read_ahead(&mut self, states: &[u8], len: usize) -> usize {
        self.numbers.clear();
        for state in states.chunks_exact(len).take(self.ahead) {
            let labels = self.machine.labels(state, self.prefixes.asked);
            let Some(number) = self.prefixes.quietly(labels, state) else { break };
            self.numbers.push(number);
        }
        self.numbers.len()
    }
}

impl<M: Machine> Machine for WithPrefixes<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(out)?;
        if !self.prefixes.is_stateless() {
            self.prefixes.write(out, 0);
        }
        Ok(())
    }

    /// The moves of the system. Where there is a slot, [`Move::property`] is the number that a move writes into it.
    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.machine.moves(state, control, out);
        if matches!(control, Control::Exclusive(_)) {
            return;
        }
        let number = self.look(state, &mut out.failures);
        if !self.prefixes.is_stateless() {
            if out.list.is_empty() {
                self.stop(state, number, &mut out.failures);
            }
            out.list.iter_mut().for_each(|mv| mv.property = number);
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        let step = self.machine.apply(state, &Move { property: NO_EDGE, ..*mv }, out);
        if step.proceeds && mv.property != NO_EDGE {
            self.prefixes.write(out, mv.property);
        }
        step
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        let arrived = out.arrivals.len();
        self.machine.expand(state, moves, out);
        self.settle(state, moves, out, arrived);
    }

    fn expand_run(
        &mut self,
        states: &[u8],
        len: usize,
        run: &mut StateRun,
        moves: &mut Moves,
        out: &mut Batch,
    ) -> bool {
        let quiet = if len == 0 { 0 } else { self.read_ahead(states, len) };
        if quiet == 0 {
            run.clear();
            return false;
        }
        let has_slot = !self.prefixes.is_stateless();
        let (first, arrived) = (out.bytes.len(), out.arrivals.len());
        let asked = (run.runs_on, run.takes_ends);
        // Successors of one length, each behind its own state, are written to in one go.
        run.runs_on &= !has_slot;
        run.takes_ends &= !has_slot;
        let is_listed = self.machine.expand_run(&states[..quiet * len], len, run, moves, out);
        (run.runs_on, run.takes_ends) = asked;
        let done = run.ends.len() + usize::from(is_listed);
        self.ahead = if done >= quiet { (2 * self.ahead).min(AHEAD_MAX) } else { (2 * done).max(AHEAD_MIN) };
        if !has_slot {
            return is_listed;
        }
        let mut at = 0;
        for (end, number) in run.ends.iter().zip(&self.numbers) {
            for i in at..*end as usize {
                run.moves[i].property = *number;
                self.prefixes.write(&mut out.bytes[first + i * run.stride..], *number);
            }
            at = *end as usize;
        }
        if is_listed {
            let number = self.numbers[run.ends.len()];
            if moves.list.is_empty() {
                self.stop(&states[run.ends.len() * len..][..len], number, &mut moves.failures);
            }
            moves.list.iter_mut().for_each(|mv| mv.property = number);
            self.write_all(number, arrived, out);
        }
        is_listed
    }

    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control {
        self.machine.run_on(state, control, path)
    }

    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        self.machine.walk(state, control, out, ways)
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        self.machine.labels(state, asked)
    }
}
