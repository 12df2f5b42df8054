//! Closure under stuttering: all words that differ from accepted ones only in how often letters are repeated.
//!
//! Partial-order reduction may be used with a claim that does not notice repetitions. A claim that may notice them is
//! closed first (Holzmann and Kupferman, 1998): if no run of the system is in the closure, none violates the claim; if
//! one is, and the claim itself accepts it, it is a counterexample; otherwise the claim has been caught in telling two
//! words apart that differ in repetitions only, and nothing is known about the system ([`ClaimVerdict`]). Letters are
//! made of the propositions that occur in the automaton.
//!
//! [`StutterClosure`] closes lazily, inside a product whose states hold the letter read last. Reading a letter, the
//! closed automaton takes one or more edges of the original one that all can read it, and collects their marks; where
//! the letter is the one read before, it may also stay where it is, without marks. Staying must never accept, so an
//! automaton without marks is given one on all edges first. (The published construction lets an accepting state accept
//! by staying; that is wrong for words that become constant.) [`stutter_close`] writes the closure out as an automaton
//! whose states remember the letter: at most states times letters.
//!
//! A product takes these steps; its states are a state of the system and one of the automaton, which has already read
//! the letter of the former:
//!
//! ```
//! use ferrospin_ltl::{ClaimVerdict, Formulas, AtomId, Labels, Lasso, StutterClosure, Target, translate};
//!
//! // The claim p && X !p, and a system that passes the values p, p, !p, !p, ..
//! let (mut formulas, mut labels) = (Formulas::new(), Labels::new());
//! let p = formulas.atom(AtomId(0));
//! let not_p = formulas.not(p);
//! let next = formulas.next(not_p);
//! let f = formulas.and(&[p, next]);
//! let claim = translate(&mut formulas, f, Target::Generalised, &mut labels).unwrap();
//! let mut closure = StutterClosure::new(&claim, &labels).unwrap();
//! let letters = [true, true, false].map(|value| closure.letter(|_| value));
//! let mut reached: Vec<_> = closure.steps(claim.initial, letters[0], &labels).iter().map(|s| s.target).collect();
//! for at in 1..3 {
//!     let mut next = Vec::new();
//!     for state in reached {
//!         // A cycle of the product accepts if the marks of these steps are all there.
//!         next.extend(closure.steps(state, letters[at], &labels).iter().map(|s| s.target));
//!         next.extend((letters[at] == letters[at - 1]).then_some(state));
//!     }
//!     reached = next;
//! }
//! assert!(!reached.is_empty());
//! // The search has found that run; the claim itself rejects it.
//! let run = Lasso::sample(3, 2, 1, |_, at| [true, true, false][at]);
//! assert!(matches!(closure.judge(Some(&run), &labels), ClaimVerdict::Sensitive(_)));
//! ```

use crate::automaton::{Automaton, Edge, Marks, StateId};
use crate::label::{Cube, Labels};
use crate::lasso::Lasso;
use crate::simulation::reduce;
use crate::translate::TranslateError;
use crate::witness::accepting_run;
use crate::{AtomId, Label, accepts};
use rustc_hash::FxHashMap;

/// States of a closure that is written out.
const STATES_MAX: usize = 50_000;
/// Propositions of a closure that is written out: each letter is considered by itself.
const ATOMS_MAX: usize = 12;

/// A letter as the values of the propositions of a closure: bit i belongs to its i-th proposition.
pub type Letter = u64;

/// A step of the closure: one or more edges of the original automaton on one letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClosureStep {
    /// Where it leads.
    pub target: StateId,
    /// The marks of all its edges.
    pub marks: Marks,
    /// How many edges it has.
    pub length: u32,
}

/// An automaton closed under stuttering as far as it is asked for.
#[derive(Clone, Debug)]
pub struct StutterClosure {
    automaton: Automaton,
    atoms: Vec<AtomId>,
    known: FxHashMap<(StateId, Letter), Vec<ClosureStep>>,
}

/// What a search with a closed claim shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimVerdict {
    /// No run is in the closure: the claim accepts none.
    Correct,
    /// The claim accepts the run that was found.
    Violated,
    /// The claim is sensitive to stuttering: it rejects the run that was found and accepts this variant of it. About
    /// the system nothing is known.
    Sensitive(Lasso),
}

impl StutterClosure {
    /// The closure of an automaton; at most 64 propositions are allowed.
    pub fn new(a: &Automaton, labels: &Labels) -> Result<Self, TranslateError> {
        let atoms = support(a, labels);
        if atoms.len() > 64 {
            return Err(TranslateError::TooManyAtoms(64));
        }
        Ok(Self { automaton: with_marks(a), atoms, known: FxHashMap::default() })
    }

    /// The original automaton, with a mark on all edges if it had none. Runs begin in its initial state.
    pub fn original(&self) -> &Automaton {
        &self.automaton
    }

    /// The propositions that letters are made of, in ascending order.
    pub fn atoms(&self) -> &[AtomId] {
        &self.atoms
    }

    /// How many steps are remembered.
    pub fn known_steps(&self) -> usize {
        self.known.values().map(Vec::len).sum()
    }

    /// The letter in which propositions have the given values.
    pub fn letter(&self, mut value: impl FnMut(AtomId) -> bool) -> Letter {
        self.atoms.iter().enumerate().fold(0, |l, (i, &a)| l | u64::from(value(a)) << i)
    }

    /// All steps from a state on a letter. In a product, a state may moreover stay, without marks, when the letter is
    /// the one that was read last.
    pub fn steps(&mut self, state: StateId, letter: Letter, labels: &Labels) -> &[ClosureStep] {
        let (automaton, atoms) = (&self.automaton, &self.atoms);
        self.known.entry((state, letter)).or_insert_with(|| {
            let holds = |a: AtomId| atoms.binary_search(&a).is_ok_and(|i| letter >> i & 1 == 1);
            let mut found: Vec<ClosureStep> = Vec::new();
            let mut work = vec![ClosureStep { target: state, marks: 0, length: 0 }];
            let mut at = 0;
            while at < work.len() {
                let from = work[at];
                at += 1;
                for e in automaton.out(from.target).iter().filter(|e| labels.contains(e.label, holds)) {
                    let step = ClosureStep { target: e.target, marks: from.marks | e.marks, length: from.length + 1 };
                    // A step with more marks to the same state serves as well.
                    let covered = |s: &ClosureStep| s.target == step.target && step.marks & !s.marks == 0;
                    if !found.iter().any(covered) {
                        found.push(step);
                        work.push(step);
                    }
                }
            }
            let all = found.clone();
            found
                .retain(|s| !all.iter().any(|t| t.target == s.target && t.marks != s.marks && s.marks & !t.marks == 0));
            found
        })
    }

    /// A word that the original automaton accepts and that differs from the given one in repetitions only, as far as
    /// the propositions of the automaton are concerned; others are left out.
    pub fn variant(&mut self, word: &Lasso, labels: &Labels) -> Option<Lasso> {
        // With the cycle written out once more, every position has one predecessor, so far as letters are concerned.
        let all = word.stem.iter().chain(&word.cycle).chain(&word.cycle);
        let letters: Vec<Letter> = all.map(|l| self.letter(|a| l.binary_search(&a).is_ok())).collect();
        let cycle = word.stem.len() + word.cycle.len();
        let n = letters.len();
        let id = |s: StateId, at: usize| StateId(s.0 * n as u32 + at as u32);
        let states: Vec<StateId> = self.automaton.states().collect();
        let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(states.len() * n);
        let mut lengths: Vec<Vec<u32>> = Vec::with_capacity(states.len() * n);
        for &s in &states {
            for at in 0..n {
                let next = if at + 1 < n { at + 1 } else { cycle };
                let steps = self.steps(s, letters[at], labels);
                let mut out: Vec<Edge> = Vec::with_capacity(steps.len() + 1);
                out.extend(steps.iter().map(|t| Edge {
                    target: id(t.target, next),
                    marks: t.marks,
                    label: Label::TRUE,
                }));
                let mut long: Vec<u32> = steps.iter().map(|t| t.length).collect();
                if at > 0 && letters[at] == letters[at - 1] {
                    out.push(Edge { target: id(s, next), marks: 0, label: Label::TRUE });
                    long.push(0);
                }
                edges.push(out);
                lengths.push(long);
            }
        }
        let pairs = Automaton {
            edges,
            initial: id(self.automaton.initial, 0),
            mark_count: self.automaton.mark_count,
            state_based: false,
        };
        let run = accepting_run(&pairs)?;
        let read = |path: &[(StateId, usize)]| {
            let repeat = |&(pair, i): &(StateId, usize)| {
                let count = lengths[pair.0 as usize][i] as usize;
                let letter = letters[pair.0 as usize % n];
                let holding = self.atoms.iter().enumerate().filter(|&(i, _)| letter >> i & 1 == 1);
                std::iter::repeat_n(holding.map(|(_, &a)| a).collect::<Vec<_>>(), count)
            };
            path.iter().flat_map(repeat).collect::<Vec<_>>()
        };
        Some(Lasso { stem: read(&run.stem), cycle: read(&run.cycle) })
    }

    /// What it means that a complete search of a product with the closure has found this run, or none.
    pub fn judge(&mut self, run: Option<&Lasso>, labels: &Labels) -> ClaimVerdict {
        let Some(word) = run else { return ClaimVerdict::Correct };
        if accepts(&self.automaton, labels, word) {
            return ClaimVerdict::Violated;
        }
        ClaimVerdict::Sensitive(self.variant(word, labels).expect("the run is in the closure"))
    }
}

/// Writes out the closure of an automaton, and reduces it.
pub fn stutter_close(a: &Automaton, labels: &mut Labels) -> Result<Automaton, TranslateError> {
    let mut closure = StutterClosure::new(a, labels)?;
    let atoms = closure.atoms.clone();
    if atoms.len() > ATOMS_MAX {
        return Err(TranslateError::TooManyAtoms(ATOMS_MAX));
    }
    let letters: Vec<Label> = (0..1u64 << atoms.len())
        .map(|letter| {
            let cube: Cube = atoms.iter().enumerate().map(|(i, &a)| (a, letter >> i & 1 == 1)).collect();
            labels.cube(&cube)
        })
        .collect();
    // A state of the original automaton and the letter that was read last; at the beginning none was.
    let mut states: Vec<(StateId, Option<Letter>)> = vec![(a.initial, None)];
    let mut index: FxHashMap<(StateId, Option<Letter>), u32> = FxHashMap::from_iter([(states[0], 0)]);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < states.len() {
        let (s, last) = states[edges.len()];
        let mut out = Vec::new();
        for (letter, &label) in letters.iter().enumerate() {
            let letter = letter as Letter;
            for step in closure.steps(s, letter, labels) {
                let target = (step.target, Some(letter));
                let id = *index.entry(target).or_insert_with(|| {
                    states.push(target);
                    states.len() as u32 - 1
                });
                out.push(Edge { target: StateId(id), marks: step.marks, label });
            }
            if last == Some(letter) {
                out.push(Edge { target: StateId(edges.len() as u32), marks: 0, label });
            }
        }
        edges.push(out);
        if states.len() > STATES_MAX {
            return Err(TranslateError::TooManyStates(STATES_MAX));
        }
    }
    let mark_count = closure.automaton.mark_count;
    let mut closed = Automaton { edges, initial: StateId(0), mark_count, state_based: false };
    closed.merge_edges(labels);
    reduce(&mut closed, labels);
    Ok(closed)
}

/// The propositions that occur on edges, in ascending order.
pub(crate) fn support(a: &Automaton, labels: &Labels) -> Vec<AtomId> {
    let mut atoms: Vec<AtomId> = a.edges.iter().flatten().flat_map(|e| labels.support(e.label)).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

/// The same automaton with at least one mark.
fn with_marks(a: &Automaton) -> Automaton {
    let mut a = a.clone();
    if a.mark_count == 0 {
        a.mark_count = 1;
        a.edges.iter_mut().flatten().for_each(|e| e.marks = 1);
    }
    a
}
