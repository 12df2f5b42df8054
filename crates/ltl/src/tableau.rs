//! From formulas to generalised Büchi automata: a tableau of sets with promises.
//!
//! A state is a set of formulas to be fulfilled from now on. Expanding a formula gives terms: a label that the present
//! letter must satisfy, the formulas for the next state, and the promises (Couvreur, 1999): eventualities that were
//! postponed. An edge carries the marks of all promises it does *not* make, so a run that sees every mark infinitely
//! often postpones nothing for ever. Terms that demand more than another term for the same letters are thinned out
//! (Gastin and Oddoux, 2001). One promise belongs to the formula that is promised, whichever operators promise it.
//!
//! States stay sets of subformulas: simplifying a successor as a formula could turn a promise into another one and back
//! on alternate steps, and then leave it open for ever while all marks appear.

use crate::automaton::{Automaton, Edge, Marks, StateId};
use crate::label::Label;
use crate::simplify::Simplifier;
use crate::{Flags, Formula, Formulas, Node, Op, TranslateError};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Terms in one expansion before the translation gives up.
const TERMS_MAX: usize = 20_000;

/// An interned set of formulas, to be read as a conjunction.
type SetId = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Term {
    next: SetId,
    promises: Marks,
    label: Label,
}

struct Tableau<'s, 'a> {
    simplifier: &'s mut Simplifier<'a>,
    sets: Vec<Rc<[Formula]>>,
    set_index: FxHashMap<Rc<[Formula]>, SetId>,
    /// Expansions of formulas; the flag says whether the formula stands directly below `[]`.
    expansions: FxHashMap<(Formula, bool), Rc<[Term]>>,
    promised: Vec<Formula>,
}

/// The automaton of a formula in negation normal form, if it has no more states than `states_max`.
pub(crate) fn tableau(
    simplifier: &mut Simplifier<'_>,
    f: Formula,
    states_max: usize,
) -> Result<Automaton, TranslateError> {
    let mut t = Tableau {
        simplifier,
        sets: Vec::new(),
        set_index: FxHashMap::default(),
        expansions: FxHashMap::default(),
        promised: Vec::new(),
    };
    t.build(f, states_max)
}

impl Tableau<'_, '_> {
    fn build(&mut self, f: Formula, states_max: usize) -> Result<Automaton, TranslateError> {
        if f == Formulas::FALSE {
            return Ok(Automaton::empty());
        }
        let mut state_of_set: FxHashMap<SetId, u32> = FxHashMap::default();
        let mut state_of_terms: FxHashMap<Vec<Term>, u32> = FxHashMap::default();
        let mut states: Vec<Vec<Term>> = Vec::new();
        let first = self.conjuncts(f);
        let first = self.intern(first);
        let mut work = vec![first];
        while let Some(set) = work.pop() {
            if state_of_set.contains_key(&set) {
                continue;
            }
            let mut terms = self.successors(set)?;
            terms.sort_unstable();
            // Sets with the same successors accept the same words.
            let state = *state_of_terms.entry(terms).or_insert_with_key(|terms| {
                work.extend(terms.iter().map(|t| t.next));
                states.push(terms.clone());
                states.len() as u32 - 1
            });
            state_of_set.insert(set, state);
            if states.len() > states_max {
                return Err(TranslateError::TooManyStates(states_max));
            }
        }
        let all = crate::automaton::all_marks(self.promised.len() as u32);
        let edge = |t: &Term| Edge { target: StateId(state_of_set[&t.next]), marks: all & !t.promises, label: t.label };
        let mut automaton = Automaton {
            edges: states.iter().map(|terms| terms.iter().map(edge).collect()).collect(),
            initial: StateId(state_of_set[&first]),
            mark_count: self.promised.len() as u32,
            state_based: false,
        };
        automaton.merge_edges(self.simplifier.labels);
        Ok(automaton)
    }

    fn conjuncts(&self, f: Formula) -> Vec<Formula> {
        if f == Formulas::TRUE { Vec::new() } else { self.simplifier.members(Op::And, f) }
    }

    fn intern(&mut self, mut set: Vec<Formula>) -> SetId {
        set.sort_unstable();
        set.dedup();
        let set: Rc<[Formula]> = set.into();
        if let Some(&id) = self.set_index.get(&set) {
            return id;
        }
        let id = self.sets.len() as SetId;
        self.sets.push(set.clone());
        self.set_index.insert(set, id);
        id
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || self.sets[b as usize].is_empty() {
            return a;
        }
        if self.sets[a as usize].is_empty() {
            return b;
        }
        let both = [&self.sets[a as usize][..], &self.sets[b as usize][..]].concat();
        self.intern(both)
    }

    fn subset(&self, a: SetId, b: SetId) -> bool {
        let (a, b) = (&self.sets[a as usize], &self.sets[b as usize]);
        a.len() <= b.len() && a.iter().all(|f| b.binary_search(f).is_ok())
    }

    fn promise(&mut self, f: Formula) -> Result<Marks, TranslateError> {
        let bit = match self.promised.iter().position(|&g| g == f) {
            Some(bit) => bit,
            None => {
                self.promised.push(f);
                self.promised.len() - 1
            }
        };
        if bit < 64 { Ok(1 << bit) } else { Err(TranslateError::TooManyPromises) }
    }

    fn term(&mut self, next: Vec<Formula>, promises: Marks) -> Term {
        Term { next: self.intern(next), promises, label: Label::TRUE }
    }

    fn expand(&mut self, f: Formula) -> Result<Rc<[Term]>, TranslateError> {
        if let Some(known) = self.expansions.get(&(f, false)) {
            return Ok(known.clone());
        }
        let terms = self.expand_new(f)?;
        self.expansions.insert((f, false), terms.clone().into());
        Ok(terms.into())
    }

    fn expand_new(&mut self, f: Formula) -> Result<Vec<Term>, TranslateError> {
        if self.simplifier.is(f, Flags::BOOLEAN) {
            let label = self.simplifier.label(f);
            let term = Term { label, ..self.term(Vec::new(), 0) };
            return Ok(if label == Label::FALSE { Vec::new() } else { vec![term] });
        }
        match self.simplifier.formulas.node(f) {
            Node::Next(g) => {
                let alternatives = self.simplifier.members(Op::Or, g);
                let mut terms = Vec::with_capacity(alternatives.len());
                for h in alternatives.into_iter().filter(|&h| h != Formulas::FALSE) {
                    let next = self.conjuncts(h);
                    terms.push(self.term(next, 0));
                }
                Ok(terms)
            }
            Node::And(_) => {
                let mut factors = Vec::new();
                for g in self.simplifier.members(Op::And, f) {
                    factors.push(self.expand(g)?);
                }
                self.product_of(factors)
            }
            Node::Or(_) => {
                let mut terms = Vec::new();
                for g in self.simplifier.members(Op::Or, f) {
                    terms.extend_from_slice(&self.expand(g)?);
                }
                self.thin(terms)
            }
            Node::Eventually(g) => {
                let now = self.expand(g)?;
                let promise = self.promise(g)?;
                let later = self.term(vec![f], promise);
                self.thin([&now[..], &[later]].concat())
            }
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let strong = self.simplifier.formulas.op(f) == Op::Until;
                let (now, wait) = (self.expand(b)?, self.expand(a)?);
                let promise = if strong { self.promise(b)? } else { 0 };
                let later = self.term(vec![f], promise);
                let later = self.product(&wait, &[later])?;
                self.thin([&now[..], &later].concat())
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let strong = self.simplifier.formulas.op(f) == Op::StrongRelease;
                let (end, kept) = (self.expand(a)?, self.expand(b)?);
                let promise = if strong { self.promise(a)? } else { 0 };
                let later = self.term(vec![f], promise);
                self.product(&kept, &[&end[..], &[later]].concat())
            }
            Node::Always(g) => {
                let now = self.expand_below_always(g)?;
                let later = self.term(vec![f], 0);
                self.product(&now, &[later])
            }
            _ => unreachable!("a temporal operator in negation normal form"),
        }
    }

    /// Below `[]`, a postponed `<>g` need not be remembered: the enclosing `[]` demands it again at the next step.
    fn expand_below_always(&mut self, f: Formula) -> Result<Rc<[Term]>, TranslateError> {
        if let Some(known) = self.expansions.get(&(f, true)) {
            return Ok(known.clone());
        }
        let terms: Rc<[Term]> = match self.simplifier.formulas.node(f) {
            Node::Eventually(g) => {
                let now = self.expand(g)?;
                let promise = self.promise(g)?;
                let later = self.term(Vec::new(), promise);
                self.thin([&now[..], &[later]].concat())?.into()
            }
            Node::And(_) => {
                let mut factors = Vec::new();
                for g in self.simplifier.members(Op::And, f) {
                    factors.push(self.expand_below_always(g)?);
                }
                self.product_of(factors)?.into()
            }
            _ => self.expand(f)?,
        };
        self.expansions.insert((f, true), terms.clone());
        Ok(terms)
    }

    /// The product of several expansions, short ones first so that intermediate results stay small.
    fn product_of(&mut self, mut factors: Vec<Rc<[Term]>>) -> Result<Vec<Term>, TranslateError> {
        factors.sort_by_key(|terms| terms.len());
        let mut product = vec![self.term(Vec::new(), 0)];
        for factor in factors {
            product = self.product(&product, &factor)?;
        }
        Ok(product)
    }

    fn product(&mut self, a: &[Term], b: &[Term]) -> Result<Vec<Term>, TranslateError> {
        if a.len() * b.len() > TERMS_MAX * 20 {
            return Err(TranslateError::TooManyTerms(TERMS_MAX));
        }
        let mut terms = Vec::with_capacity(a.len() * b.len());
        for x in a {
            for y in b {
                let label = self.simplifier.labels.and(x.label, y.label);
                if label != Label::FALSE {
                    let next = self.union(x.next, y.next);
                    terms.push(Term { next, promises: x.promises | y.promises, label });
                }
            }
        }
        self.thin(terms)
    }

    /// Unites terms that differ in the label only, and takes from each label what a term that demands less offers.
    fn thin(&mut self, mut terms: Vec<Term>) -> Result<Vec<Term>, TranslateError> {
        terms.sort_unstable();
        let mut united: Vec<Term> = Vec::with_capacity(terms.len());
        for t in terms {
            match united.last_mut() {
                Some(last) if (last.next, last.promises) == (t.next, t.promises) => {
                    last.label = self.simplifier.labels.or(last.label, t.label);
                }
                _ => united.push(t),
            }
        }
        if united.len() > TERMS_MAX {
            return Err(TranslateError::TooManyTerms(TERMS_MAX));
        }
        // Terms with the same next set stand together, so that sets are compared once per pair of groups.
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        for i in 0..united.len() {
            match groups.last_mut() {
                Some(last) if united[last.start].next == united[i].next => last.end = i + 1,
                _ => groups.push(i..i + 1),
            }
        }
        let mut thinned = Vec::with_capacity(united.len());
        for group in &groups {
            let less: Vec<&std::ops::Range<usize>> =
                groups.iter().filter(|g| self.subset(united[g.start].next, united[group.start].next)).collect();
            for &t in &united[group.clone()] {
                let mut label = t.label;
                for r in less.iter().flat_map(|g| &united[(*g).clone()]) {
                    if r.promises & !t.promises == 0 && (r.next, r.promises) != (t.next, t.promises) {
                        label = self.simplifier.labels.minus(label, r.label);
                    }
                }
                if label != Label::FALSE {
                    thinned.push(Term { label, ..t });
                }
            }
        }
        Ok(thinned)
    }

    fn successors(&mut self, set: SetId) -> Result<Vec<Term>, TranslateError> {
        let mut factors = Vec::new();
        for &f in self.sets[set as usize].clone().iter() {
            factors.push(self.expand(f)?);
        }
        let terms = self.product_of(factors)?;
        let mut terms = self.clear_kept_promises(terms)?;
        for t in &mut terms {
            t.next = self.drop_recreated(t.next);
        }
        self.thin(terms)
    }

    /// Takes a promise back where what was promised happens anyway: some term of its expansion demands no more than
    /// the term that promises it. This looks at the next set before [`Self::drop_recreated`] makes it smaller.
    fn clear_kept_promises(&mut self, terms: Vec<Term>) -> Result<Vec<Term>, TranslateError> {
        let mut work = terms;
        let mut done = Vec::with_capacity(work.len());
        'terms: while let Some(t) = work.pop() {
            for bit in (0..self.promised.len()).filter(|bit| t.promises >> bit & 1 == 1) {
                let others = t.promises & !(1 << bit);
                for &r in self.expand(self.promised[bit])?.iter() {
                    if r.promises & !others != 0 || !self.subset(r.next, t.next) {
                        continue;
                    }
                    let kept = self.simplifier.labels.and(t.label, r.label);
                    if kept != Label::FALSE {
                        let rest = self.simplifier.labels.minus(t.label, r.label);
                        work.push(Term { label: kept, promises: others, ..t });
                        if rest != Label::FALSE {
                            work.push(Term { label: rest, ..t });
                        }
                        continue 'terms;
                    }
                }
            }
            done.push(t);
        }
        Ok(done)
    }

    /// Drops from a set what a `[]` in it demands anyway.
    fn drop_recreated(&mut self, set: SetId) -> SetId {
        let members = self.sets[set as usize].clone();
        let formulas = &self.simplifier.formulas;
        let demands: Vec<(Formula, Formula)> = members
            .iter()
            .filter_map(|&g| if let Node::Always(h) = formulas.node(g) { Some((g, h)) } else { None })
            .collect();
        let recreated = |f: Formula| {
            demands
                .iter()
                .any(|&(g, h)| g != f && (h == f || matches!(formulas.node(h), Node::And(list) if list.contains(&f))))
        };
        let kept: Vec<Formula> = members.iter().copied().filter(|&f| !recreated(f)).collect();
        if kept.len() == members.len() { set } else { self.intern(kept) }
    }
}
