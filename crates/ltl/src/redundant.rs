//! Dropping members of conjunctions and disjunctions that automata prove redundant.
//!
//! Syntactic implication misses what only holds through time. Where two members of one operator share propositions,
//! `f => g` is decided exactly: the automata of `f` and of `!g` have no common word. This costs two tableaux, so it
//! is done once after rewriting, for small formulas, a bounded number of times.

use crate::automaton::Automaton;
use crate::product::{is_empty, product};
use crate::prune::prune;
use crate::simplify::Simplifier;
use crate::tableau::tableau;
use crate::{Flags, Formula, Op};
use rustc_hash::FxHashMap;

/// Questions asked per formula.
const QUESTIONS_MAX: u32 = 64;
/// Subformulas of a formula that is asked about.
const SIZE_MAX: usize = 24;
/// States of its automaton.
const STATES_MAX: usize = 64;

struct Prover<'s, 'a> {
    simplifier: &'s mut Simplifier<'a>,
    automata: FxHashMap<Formula, Option<Automaton>>,
    done: FxHashMap<Formula, Formula>,
    questions: u32,
}

/// An equivalent formula without members that others make redundant.
pub(crate) fn drop_redundant(simplifier: &mut Simplifier<'_>, f: Formula) -> Formula {
    let mut prover =
        Prover { simplifier, automata: FxHashMap::default(), done: FxHashMap::default(), questions: QUESTIONS_MAX };
    prover.visit(f)
}

impl Prover<'_, '_> {
    fn visit(&mut self, f: Formula) -> Formula {
        if let Some(&known) = self.done.get(&f) {
            return known;
        }
        let op = self.simplifier.formulas.op(f);
        let operands: Vec<Formula> = self.simplifier.formulas.operands(f).to_vec();
        let mut visited: Vec<Formula> = operands.iter().map(|&g| self.visit(g)).collect();
        if matches!(op, Op::And | Op::Or) {
            let mut i = 0;
            while i < visited.len() && visited.len() > 1 {
                let g = visited[i];
                let redundant = visited
                    .iter()
                    .enumerate()
                    .any(|(j, &h)| j != i && if op == Op::And { self.implies(h, g) } else { self.implies(g, h) });
                if redundant {
                    visited.remove(i);
                } else {
                    i += 1;
                }
            }
        }
        let result = if visited == operands { f } else { self.simplifier.formulas.apply(op, &visited) };
        self.done.insert(f, result);
        result
    }

    fn implies(&mut self, f: Formula, g: Formula) -> bool {
        if self.simplifier.implies(f, g) {
            return true;
        }
        let boolean = [f, g].iter().all(|&h| self.simplifier.is(h, Flags::BOOLEAN));
        if boolean || self.questions == 0 || !self.related(f, g) {
            return false;
        }
        self.questions -= 1;
        let not_g = self.simplifier.negate(g);
        self.prepare(f);
        self.prepare(not_g);
        let (Some(Some(a)), Some(Some(b))) = (self.automata.get(&f), self.automata.get(&not_g)) else { return false };
        a.mark_count + b.mark_count <= 64
            && product(a, b, self.simplifier.labels, STATES_MAX * STATES_MAX).is_some_and(|p| is_empty(&p))
    }

    /// Whether two formulas are small and share a proposition; without one, neither implies the other.
    fn related(&self, f: Formula, g: Formula) -> bool {
        let formulas = &self.simplifier.formulas;
        let (a, b) = (formulas.subformulas(f), formulas.subformulas(g));
        let atom = |h: &&Formula| formulas.op(**h) == Op::Atom;
        a.len() <= SIZE_MAX && b.len() <= SIZE_MAX && a.iter().filter(atom).any(|h| b.binary_search(h).is_ok())
    }

    fn prepare(&mut self, f: Formula) {
        if !self.automata.contains_key(&f) {
            let mut a = tableau(self.simplifier, f, STATES_MAX).ok();
            if let Some(a) = &mut a {
                prune(a, self.simplifier.labels);
            }
            self.automata.insert(f, a);
        }
    }
}
