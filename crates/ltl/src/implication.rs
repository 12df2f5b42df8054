//! Syntactic implication between formulas in negation normal form: sound, incomplete, cheap.
//!
//! `f => g` is concluded from the shapes of both (after Somenzi and Bloem, 2000, and Babiak, Křetínský, Řehák and
//! Strejček, 2012): operands of Boolean operators one by one, temporal operators by monotonicity, and purely eventual
//! or universal formulas across time. Pairs of Boolean formulas are decided exactly by their labels. Answers are kept,
//! so a pair is examined once.

use crate::simplify::Simplifier;
use crate::{Flags, Formula, Formulas, Node};

impl Simplifier<'_> {
    /// Whether `f` certainly implies `g`.
    pub(crate) fn implies(&mut self, f: Formula, g: Formula) -> bool {
        if f == g || f == Formulas::FALSE || g == Formulas::TRUE {
            return true;
        }
        if f == Formulas::TRUE && !self.formulas.is(g, Flags::BOOLEAN) && self.formulas.op(g) != crate::Op::Or {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        let answer = self.decide(f, g);
        self.implications.insert((f, g), answer);
        answer
    }

    /// Whether the two certainly exclude each other.
    pub(crate) fn excludes(&mut self, f: Formula, g: Formula) -> bool {
        let not_g = self.negate(g);
        self.implies(f, not_g)
    }

    fn decide(&mut self, f: Formula, g: Formula) -> bool {
        let boolean = |s: &Self, h: Formula| s.formulas.is(h, Flags::BOOLEAN);
        if boolean(self, f) && boolean(self, g) {
            let (a, b) = (self.label(f), self.label(g));
            return self.labels.implies(a, b);
        }
        let members = |s: &Self, h: Formula| s.formulas.operands(h).to_vec();
        // These two splits lose nothing.
        if let Node::Or(_) = self.formulas.node(f) {
            return members(self, f).into_iter().all(|h| self.implies(h, g));
        }
        if let Node::And(_) = self.formulas.node(g) {
            return members(self, g).into_iter().all(|h| self.implies(f, h));
        }
        if let Node::Or(_) = self.formulas.node(g)
            && members(self, g).into_iter().any(|h| self.implies(f, h))
        {
            return true;
        }
        if let Node::And(_) = self.formulas.node(f)
            && members(self, f).into_iter().any(|h| self.implies(h, g))
        {
            return true;
        }
        self.decide_left(f, g) || self.decide_right(f, g) || self.decide_both(f, g)
    }

    /// What the operator of `f` alone allows to conclude.
    fn decide_left(&mut self, f: Formula, g: Formula) -> bool {
        let eventual = self.formulas.is(g, Flags::EVENTUAL);
        match self.formulas.node(f) {
            Node::Next(h) | Node::Eventually(h) => eventual && self.implies(h, g),
            Node::Always(h) => self.implies(h, g),
            Node::Until(a, b) => self.implies(b, g) && (eventual || self.implies(a, g)),
            Node::WeakUntil(a, b) => self.implies(a, g) && self.implies(b, g),
            Node::Release(_, b) => self.implies(b, g),
            Node::StrongRelease(a, b) => self.implies(b, g) || (eventual && self.implies(a, g)),
            _ => false,
        }
    }

    /// What the operator of `g` alone allows to conclude.
    fn decide_right(&mut self, f: Formula, g: Formula) -> bool {
        let universal = self.formulas.is(f, Flags::UNIVERSAL);
        match self.formulas.node(g) {
            Node::Next(h) | Node::Always(h) => universal && self.implies(f, h),
            Node::Eventually(h) => self.implies(f, h),
            Node::Until(_, b) => self.implies(f, b),
            Node::WeakUntil(a, b) => self.implies(f, b) || (universal && self.implies(f, a)),
            Node::StrongRelease(a, b) => self.implies(f, a) && self.implies(f, b),
            Node::Release(a, b) => self.implies(f, b) && (universal || self.implies(f, a)),
            _ => false,
        }
    }

    /// Monotonicity and the pairs of operators that are close relatives.
    fn decide_both(&mut self, f: Formula, g: Formula) -> bool {
        match (self.formulas.node(f), self.formulas.node(g)) {
            (Node::Next(a), Node::Next(b)) => self.implies(a, b),
            (Node::Until(a, b), Node::Until(c, d))
            | (Node::Until(a, b) | Node::WeakUntil(a, b), Node::WeakUntil(c, d))
            | (Node::StrongRelease(a, b), Node::StrongRelease(c, d))
            | (Node::Release(a, b) | Node::StrongRelease(a, b), Node::Release(c, d)) => {
                self.implies(a, c) && self.implies(b, d)
            }
            (Node::StrongRelease(a, b), Node::Until(c, d))
            | (Node::Release(a, b) | Node::StrongRelease(a, b), Node::WeakUntil(c, d)) => {
                self.implies(a, d) && self.implies(b, c)
            }
            (Node::Until(a, b), Node::StrongRelease(c, d))
            | (Node::Until(a, b) | Node::WeakUntil(a, b), Node::Release(c, d)) => {
                self.implies(a, d) && self.implies(b, c) && self.implies(b, d)
            }
            _ => false,
        }
    }
}
