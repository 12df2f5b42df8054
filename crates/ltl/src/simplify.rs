//! Rewriting formulas into equivalent ones that need smaller automata.
//!
//! Rules work bottom-up inside constructors on negation normal forms (Etessami and Holzmann, 2000; Somenzi and Bloem,
//! 2000; Babiak et al., 2012). Every rule has a dual, so only `&&`, `X`, `<>`, `U` and `M` have rules of their own:
//! `||`, `[]`, `V` and `W` are built as the negation of their dual applied to negations, which costs little because
//! negations are remembered. Equivalent Boolean subformulas become one formula through their labels.
//!
//! A budget bounds the work: once it is spent, constructors build without rewriting, which is always sound.

use crate::label::Label;
use crate::{Flags, Formula, Formulas, Labels, Node, Op};
use rustc_hash::FxHashMap;

/// Formulas that are both purely eventual and universal, and so have one value on all suffixes of a word.
pub(crate) const LIMIT: Flags = Flags::EVENTUAL_UNIVERSAL;

/// Rule applications before rewriting gives up.
const BUDGET: u32 = 200_000;

/// Constructors inside constructors before rewriting gives up.
const NESTING_MAX: u32 = 200;

/// The rewriter, with what it has found out so far.
pub(crate) struct Simplifier<'a> {
    pub(crate) formulas: &'a mut Formulas,
    pub(crate) labels: &'a mut Labels,
    pub(crate) implications: FxHashMap<(Formula, Formula), bool>,
    negations: FxHashMap<Formula, Formula>,
    label_of: FxHashMap<Formula, Label>,
    representative: FxHashMap<Label, Formula>,
    simplified: FxHashMap<Formula, Formula>,
    budget: u32,
    nesting: u32,
}

impl<'a> Simplifier<'a> {
    pub(crate) fn new(formulas: &'a mut Formulas, labels: &'a mut Labels) -> Self {
        Self {
            formulas,
            labels,
            implications: FxHashMap::default(),
            negations: FxHashMap::default(),
            label_of: FxHashMap::default(),
            representative: FxHashMap::default(),
            simplified: FxHashMap::default(),
            budget: BUDGET,
            nesting: 0,
        }
    }

    /// Rewrites a formula in negation normal form until nothing changes.
    pub(crate) fn simplify(&mut self, f: Formula) -> Formula {
        let mut f = f;
        for _ in 0..8 {
            self.simplified.clear();
            let g = self.rewrite(f);
            if g == f {
                break;
            }
            f = g;
        }
        f
    }

    fn rewrite(&mut self, f: Formula) -> Formula {
        if let Some(&known) = self.simplified.get(&f) {
            return known;
        }
        let op = self.formulas.op(f);
        let result = if matches!(op, Op::True | Op::False | Op::Atom | Op::Not) {
            f
        } else {
            let operands: Vec<Formula> = self.formulas.operands(f).to_vec();
            let operands: Vec<Formula> = operands.into_iter().map(|g| self.rewrite(g)).collect();
            self.make(op, &operands)
        };
        self.simplified.insert(f, result);
        result
    }

    pub(crate) fn make(&mut self, op: Op, k: &[Formula]) -> Formula {
        match op {
            Op::And => self.and(k),
            Op::Or => self.or(k),
            Op::Next => self.next(k[0]),
            Op::Eventually => self.eventually(k[0]),
            Op::Always => self.always(k[0]),
            Op::Until => self.until(k[0], k[1]),
            Op::Release => self.release(k[0], k[1]),
            Op::WeakUntil => self.weak_until(k[0], k[1]),
            Op::StrongRelease => self.strong_release(k[0], k[1]),
            _ => unreachable!("{op:?} does not occur in negation normal form"),
        }
    }

    /// The negation of a formula in negation normal form, in the same form.
    pub(crate) fn negate(&mut self, f: Formula) -> Formula {
        if let Some(&known) = self.negations.get(&f) {
            return known;
        }
        let operands: Vec<Formula> = match self.formulas.op(f) {
            Op::Not => Vec::new(),
            _ => self.formulas.operands(f).to_vec(),
        };
        let operands: Vec<Formula> = operands.into_iter().map(|g| self.negate(g)).collect();
        let dual = match self.formulas.node(f) {
            Node::True => Formulas::FALSE,
            Node::False => Formulas::TRUE,
            Node::Atom(_) => self.formulas.not(f),
            Node::Not(g) => g,
            Node::And(_) => self.formulas.or(&operands),
            Node::Or(_) => self.formulas.and(&operands),
            Node::Next(_) => self.formulas.apply(Op::Next, &operands),
            Node::Eventually(_) => self.formulas.apply(Op::Always, &operands),
            Node::Always(_) => self.formulas.apply(Op::Eventually, &operands),
            Node::Until(..) => self.formulas.apply(Op::Release, &operands),
            Node::Release(..) => self.formulas.apply(Op::Until, &operands),
            Node::WeakUntil(..) => self.formulas.apply(Op::StrongRelease, &operands),
            Node::StrongRelease(..) => self.formulas.apply(Op::WeakUntil, &operands),
            Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => unreachable!("not in negation normal form"),
        };
        self.negations.insert(f, dual);
        self.negations.insert(dual, f);
        dual
    }

    /// The label of a Boolean formula.
    pub(crate) fn label(&mut self, f: Formula) -> Label {
        if let Some(&known) = self.label_of.get(&f) {
            return known;
        }
        let label = match self.formulas.node(f) {
            Node::True => Label::TRUE,
            Node::False => Label::FALSE,
            Node::Atom(a) => self.labels.literal(a, true),
            Node::Not(g) => {
                let inner = self.label(g);
                self.labels.not(inner)
            }
            Node::And(list) | Node::Or(list) => {
                let conjunction = self.formulas.op(f) == Op::And;
                let mut label = if conjunction { Label::TRUE } else { Label::FALSE };
                let list = list.to_vec();
                for g in list {
                    let part = self.label(g);
                    label = if conjunction { self.labels.and(label, part) } else { self.labels.or(label, part) };
                }
                label
            }
            _ => unreachable!("a Boolean formula in negation normal form"),
        };
        self.label_of.insert(f, label);
        label
    }

    /// One formula for all that have the same label as the Boolean formula `f`: a cube or a clause if there is one.
    pub(crate) fn canonical(&mut self, f: Formula) -> Formula {
        let label = self.label(f);
        if let Some(&known) = self.representative.get(&label) {
            return known;
        }
        let result = match label {
            Label::TRUE => Formulas::TRUE,
            Label::FALSE => Formulas::FALSE,
            _ => {
                let opposite = self.labels.not(label);
                match (&self.labels.cover(label)[..], &self.labels.cover(opposite)[..]) {
                    ([cube], _) => self.literals(Op::And, cube, true),
                    (_, [cube]) => self.literals(Op::Or, cube, false),
                    _ => f,
                }
            }
        };
        // The negation of the representative represents the opposite label, whichever is met first.
        let (opposite, negation) = (self.labels.not(label), self.negate(result));
        self.representative.insert(label, result);
        self.representative.insert(opposite, negation);
        result
    }

    fn literals(&mut self, op: Op, cube: &[(crate::AtomId, bool)], sign: bool) -> Formula {
        let mut list = Vec::with_capacity(cube.len());
        for &(atom, value) in cube {
            let atom = self.formulas.atom(atom);
            list.push(if value == sign { atom } else { self.formulas.not(atom) });
        }
        self.formulas.apply(op, &list)
    }

    pub(crate) fn is(&self, f: Formula, flags: Flags) -> bool {
        self.formulas.is(f, flags)
    }

    /// Builds by rules, or plainly if rules are nested too deeply or the budget is spent.
    pub(crate) fn nested(
        &mut self,
        by_rules: impl FnOnce(&mut Self) -> Formula,
        plainly: impl FnOnce(&mut Self) -> Formula,
    ) -> Formula {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 || self.nesting >= NESTING_MAX {
            return plainly(self);
        }
        self.nesting += 1;
        let f = by_rules(self);
        self.nesting -= 1;
        f
    }

    /// Members of a conjunction or disjunction; any other formula is its own only member.
    pub(crate) fn members(&self, op: Op, f: Formula) -> Vec<Formula> {
        if self.formulas.op(f) == op { self.formulas.operands(f).to_vec() } else { vec![f] }
    }

    /// Splits the members of `f` under `op` into those with the flags and the others.
    pub(crate) fn split(&self, op: Op, f: Formula, flags: Flags) -> (Vec<Formula>, Vec<Formula>) {
        self.members(op, f).into_iter().partition(|&g| self.is(g, flags))
    }

    /// If all members of `part` under `op` are members of `f`, the others of `f`.
    pub(crate) fn without(&self, op: Op, f: Formula, part: Formula) -> Option<Vec<Formula>> {
        let (all, part) = (self.members(op, f), self.members(op, part));
        part.iter().all(|g| all.contains(g)).then(|| all.into_iter().filter(|g| !part.contains(g)).collect())
    }

    pub(crate) fn or(&mut self, list: &[Formula]) -> Formula {
        let duals: Vec<Formula> = list.iter().map(|&f| self.negate(f)).collect();
        let dual = self.and(&duals);
        self.negate(dual)
    }

    pub(crate) fn always(&mut self, f: Formula) -> Formula {
        let dual = self.negate(f);
        let dual = self.eventually(dual);
        self.negate(dual)
    }

    pub(crate) fn release(&mut self, f: Formula, g: Formula) -> Formula {
        let (f, g) = (self.negate(f), self.negate(g));
        let dual = self.until(f, g);
        self.negate(dual)
    }

    pub(crate) fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        let (f, g) = (self.negate(f), self.negate(g));
        let dual = self.strong_release(f, g);
        self.negate(dual)
    }

    pub(crate) fn next(&mut self, f: Formula) -> Formula {
        if self.is(f, LIMIT) { f } else { self.formulas.next(f) }
    }

    pub(crate) fn eventually(&mut self, f: Formula) -> Formula {
        if self.is(f, Flags::EVENTUAL) {
            return f;
        }
        self.nested(|s| s.eventually_by_rules(f), |s| s.formulas.eventually(f))
    }

    fn eventually_by_rules(&mut self, f: Formula) -> Formula {
        match self.formulas.node(f) {
            Node::Until(_, h) => return self.eventually(h),
            Node::StrongRelease(g, h) => {
                let both = self.and(&[g, h]);
                return self.eventually(both);
            }
            Node::Next(g) => {
                let inner = self.eventually(g);
                return self.next(inner);
            }
            Node::And(_) => {
                let (limit, rest) = self.split(Op::And, f, LIMIT);
                if !limit.is_empty() {
                    let rest = self.and(&rest);
                    let rest = self.eventually(rest);
                    return self.and(&[limit, vec![rest]].concat());
                }
            }
            Node::Or(_) => {
                let (universal, rest) = self.split(Op::Or, f, Flags::UNIVERSAL);
                if !universal.is_empty() {
                    let mut list: Vec<Formula> = universal.into_iter().map(|u| self.eventually(u)).collect();
                    if !rest.is_empty() {
                        let rest = self.or(&rest);
                        list.push(self.eventually(rest));
                    }
                    return self.or(&list);
                }
            }
            Node::Always(g) => {
                if let Some(h) = self.eventually_always(g) {
                    return h;
                }
            }
            _ => {}
        }
        self.formulas.eventually(f)
    }

    /// Rules for `<>[]f`.
    fn eventually_always(&mut self, f: Formula) -> Option<Formula> {
        match self.formulas.node(f) {
            Node::Or(_) => {
                let mut outside = Vec::new();
                let mut inside = Vec::new();
                for g in self.members(Op::Or, f) {
                    match self.formulas.node(g) {
                        Node::Eventually(_) => outside.push(self.always(g)),
                        _ if self.is(g, Flags::UNIVERSAL) => outside.push(self.eventually(g)),
                        _ => inside.push(g),
                    }
                }
                if outside.is_empty() {
                    return None;
                }
                let inside = self.or(&inside);
                let inside = self.always(inside);
                outside.push(self.eventually(inside));
                Some(self.or(&outside))
            }
            Node::And(_) => {
                let mut changed = false;
                let mut list = Vec::new();
                for g in self.members(Op::And, f) {
                    match self.formulas.node(g) {
                        Node::Next(h) | Node::Always(h) => {
                            changed = true;
                            list.push(h);
                        }
                        _ => list.push(g),
                    }
                }
                changed.then(|| {
                    let inner = self.and(&list);
                    let inner = self.always(inner);
                    self.eventually(inner)
                })
            }
            _ => None,
        }
    }
}
