//! Rewriting `U` and `M` (and, by duality, `V` and `W`).
//!
//! Rules by shape come first, then those that need an implication between operands.

use crate::simplify::{LIMIT, Simplifier};
use crate::{Flags, Formula, Formulas, Node, Op};

impl Simplifier<'_> {
    pub(crate) fn until(&mut self, f: Formula, g: Formula) -> Formula {
        if f == Formulas::TRUE {
            return self.eventually(g);
        }
        if f == Formulas::FALSE || self.is(g, Flags::EVENTUAL) || self.implies(f, g) {
            return g;
        }
        self.nested(|s| s.until_by_rules(f, g), |s| s.formulas.until(f, g))
    }

    fn until_by_rules(&mut self, f: Formula, g: Formula) -> Formula {
        if let Some(h) = self.until_by_shape(f, g) {
            return h;
        }
        self.until_by_implication(f, g).unwrap_or_else(|| self.formulas.until(f, g))
    }

    fn until_by_shape(&mut self, f: Formula, g: Formula) -> Option<Formula> {
        // f U (g || []f) = f W g
        let always = self.formulas.always(f);
        if let Some(rest) = self.without(Op::Or, g, always) {
            let rest = self.or(&rest);
            return Some(self.weak_until(f, rest));
        }
        // f U (g && f) = g M f
        if let Some(rest) = self.without(Op::And, g, f) {
            let rest = self.and(&rest);
            return Some(self.strong_release(rest, f));
        }
        if let (Node::Next(a), Node::Next(b)) = (self.formulas.node(f), self.formulas.node(g)) {
            let inner = self.until(a, b);
            return Some(self.next(inner));
        }
        for op in [Op::And, Op::Or] {
            let (limit, rest) = self.split(op, g, LIMIT);
            if self.formulas.op(g) == op && !limit.is_empty() {
                let rest = self.make(op, &rest);
                let rest = self.until(f, rest);
                return Some(self.make(op, &[limit, vec![rest]].concat()));
            }
        }
        None
    }

    fn until_by_implication(&mut self, f: Formula, g: Formula) -> Option<Formula> {
        // !f => g: f U g = <>g, also for g with further eventual conjuncts.
        let not_f = self.negate(f);
        if self.implies(not_f, g) {
            return Some(self.eventually(g));
        }
        let (eventual, rest) = self.split(Op::And, g, Flags::EVENTUAL);
        if !eventual.is_empty() {
            let rest = self.and(&rest);
            if self.implies(not_f, rest) {
                return Some(self.eventually(g));
            }
        }
        if let Node::Until(a, b) = self.formulas.node(g) {
            if self.implies(f, a) {
                return Some(g);
            }
            if self.implies(a, f) {
                return Some(self.until(f, b));
            }
        }
        if let Node::Until(a, b) | Node::WeakUntil(a, b) = self.formulas.node(f) {
            let strong = self.formulas.op(f) == Op::Until;
            if self.implies(a, g) {
                return Some(self.until(b, g));
            }
            if strong && self.implies(b, g) {
                return Some(self.or(&[f, g]));
            }
        }
        if let Node::Or(_) = self.formulas.node(f) {
            let members = self.members(Op::Or, f);
            let kept: Vec<Formula> = members.iter().copied().filter(|&h| !self.implies(h, g)).collect();
            if kept.len() < members.len() {
                let kept = self.or(&kept);
                return Some(self.until(kept, g));
            }
        }
        None
    }

    pub(crate) fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        if g == Formulas::TRUE {
            return self.eventually(f);
        }
        if g == Formulas::FALSE || f == Formulas::FALSE || self.excludes(f, g) {
            return Formulas::FALSE;
        }
        if self.implies(g, f) {
            return g;
        }
        self.nested(|s| s.strong_release_by_rules(f, g), |s| s.formulas.strong_release(f, g))
    }

    fn strong_release_by_rules(&mut self, f: Formula, g: Formula) -> Formula {
        // f M (g || f) = g U f
        if let Some(rest) = self.without(Op::Or, g, f) {
            let rest = self.or(&rest);
            return self.until(rest, f);
        }
        if let (Node::Next(a), Node::Next(b)) = (self.formulas.node(f), self.formulas.node(g)) {
            let inner = self.strong_release(a, b);
            return self.next(inner);
        }
        if self.is(f, Flags::EVENTUAL) {
            return self.and(&[f, g]);
        }
        if self.is(g, Flags::UNIVERSAL) {
            let some = self.eventually(f);
            return self.and(&[some, g]);
        }
        let (limit, rest) = self.split(Op::And, g, LIMIT);
        if self.formulas.op(g) == Op::And && !limit.is_empty() {
            let rest = self.and(&rest);
            let rest = self.strong_release(f, rest);
            return self.and(&[limit, vec![rest]].concat());
        }
        self.strong_release_by_implication(f, g).unwrap_or_else(|| self.formulas.strong_release(f, g))
    }

    fn strong_release_by_implication(&mut self, f: Formula, g: Formula) -> Option<Formula> {
        if let Node::Release(a, b) | Node::StrongRelease(a, b) = self.formulas.node(g) {
            let strong = self.formulas.op(g) == Op::StrongRelease;
            if self.implies(f, a) {
                return Some(self.strong_release(f, b));
            }
            if strong && self.implies(a, f) {
                return Some(g);
            }
        }
        if let Node::Release(a, b) | Node::StrongRelease(a, b) = self.formulas.node(f) {
            let strong = self.formulas.op(f) == Op::StrongRelease;
            if self.implies(g, a) {
                return Some(self.strong_release(b, g));
            }
            if !strong && self.implies(g, b) {
                return Some(self.and(&[f, g]));
            }
        }
        if let Node::And(_) = self.formulas.node(f) {
            let members = self.members(Op::And, f);
            let kept: Vec<Formula> = members.iter().copied().filter(|&h| !self.implies(g, h)).collect();
            if kept.len() < members.len() {
                let kept = self.and(&kept);
                return Some(self.strong_release(kept, g));
            }
        }
        None
    }
}
