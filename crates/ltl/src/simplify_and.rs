//! Rewriting conjunctions (and, by duality, disjunctions).
//!
//! Members that others imply go, contradictions end the formula, and pairs of members that are together one operator
//! are joined. Each join removes a member, so the loop ends.

use crate::simplify::Simplifier;
use crate::{Flags, Formula, Formulas, Node, Op};

impl Simplifier<'_> {
    pub(crate) fn and(&mut self, list: &[Formula]) -> Formula {
        self.nested(|s| s.and_by_rules(list), |s| s.formulas.and(list))
    }

    fn and_by_rules(&mut self, list: &[Formula]) -> Formula {
        let mut flat = self.flatten(list);
        loop {
            if flat.contains(&Formulas::FALSE) || !self.drop_implied(&mut flat) {
                return Formulas::FALSE;
            }
            match self.join_some(&flat) {
                Some(joined) => flat = self.flatten(&joined),
                None => return self.formulas.and(&flat),
            }
        }
    }

    /// Members without nesting, the Boolean ones replaced by a canonical form of their conjunction.
    fn flatten(&mut self, list: &[Formula]) -> Vec<Formula> {
        // A constant must not stay inside a representative of its label: it would look like a limit formula there.
        let members = list.iter().flat_map(|&f| self.members(Op::And, f));
        let all: Vec<Formula> = members.filter(|&f| f != Formulas::TRUE).collect();
        let (boolean, mut flat): (Vec<_>, Vec<_>) = all.into_iter().partition(|&f| self.is(f, Flags::BOOLEAN));
        let boolean = self.formulas.and(&boolean);
        let boolean = self.canonical(boolean);
        if boolean != Formulas::TRUE {
            flat.extend(self.members(Op::And, boolean));
        }
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    /// Removes members that others imply; false if two exclude each other.
    fn drop_implied(&mut self, flat: &mut Vec<Formula>) -> bool {
        let mut i = 0;
        while i < flat.len() {
            let f = flat[i];
            let mut implied = false;
            for (j, &g) in flat.clone().iter().enumerate() {
                // Two literals were compared by their label.
                if i == j || (self.is(f, Flags::BOOLEAN) && self.is(g, Flags::BOOLEAN)) {
                    continue;
                }
                if self.excludes(f, g) {
                    return false;
                }
                // Of two that imply each other, the first stays.
                if self.implies(g, f) && (j < i || !self.implies(f, g)) {
                    implied = true;
                    break;
                }
            }
            if implied {
                flat.remove(i);
            } else {
                i += 1;
            }
        }
        true
    }

    /// Joins members; `None` if no rule applies.
    fn join_some(&mut self, flat: &[Formula]) -> Option<Vec<Formula>> {
        let nexts: Vec<Formula> = flat.iter().copied().filter(|&f| self.formulas.op(f) == Op::Next).collect();
        if nexts.len() > 1 {
            let inner: Vec<Formula> = nexts.iter().map(|&f| self.formulas.operands(f)[0]).collect();
            let inner = self.and(&inner);
            let joined = self.next(inner);
            return Some(replace(flat, &nexts, joined));
        }
        for &f in flat {
            if let Some((used, joined)) = self.unroll_back(f, flat) {
                return Some(replace(flat, &used, joined));
            }
        }
        for &f in flat {
            for &g in flat {
                if f != g
                    && let Some(joined) = self.join_pair(f, g)
                {
                    return Some(replace(flat, &[f, g], joined));
                }
            }
        }
        None
    }

    /// `f && X[]f = []f` and `f && (g || X(g V f)) = g V f`: one step of an operator is taken back.
    fn unroll_back(&mut self, f: Formula, flat: &[Formula]) -> Option<(Vec<Formula>, Formula)> {
        let present = |s: &Self, part: Formula| {
            let members = s.members(Op::And, part);
            members.iter().all(|g| flat.contains(g)).then_some(members)
        };
        match self.formulas.node(f) {
            Node::Next(g) => {
                let Node::Always(h) = self.formulas.node(g) else { return None };
                let mut used = present(self, h)?;
                used.push(f);
                Some((used, g))
            }
            Node::Or(list) => {
                for &x in list {
                    let Node::Next(g) = self.formulas.node(x) else { continue };
                    let (Node::Release(a, b) | Node::StrongRelease(a, b)) = self.formulas.node(g) else { continue };
                    let rest: Vec<Formula> = list.iter().copied().filter(|&y| y != x).collect();
                    if rest != self.members(Op::Or, a) {
                        continue;
                    }
                    if let Some(mut used) = present(self, b) {
                        used.push(f);
                        return Some((used, g));
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// Two members that are together one formula.
    fn join_pair(&mut self, f: Formula, g: Formula) -> Option<Formula> {
        match (self.formulas.node(f), self.formulas.node(g)) {
            // <>b && (a W b) = a U b
            (Node::Eventually(x), Node::WeakUntil(a, b)) if x == b => Some(self.until(a, b)),
            // <>a && (a V b) = a M b
            (Node::Eventually(x), Node::Release(a, b)) if x == a => Some(self.strong_release(a, b)),
            // Operators that share the operand which ends, or the one which is kept.
            (Node::Until(a, b) | Node::WeakUntil(a, b), Node::Until(c, d) | Node::WeakUntil(c, d)) if b == d => {
                let strong = self.formulas.op(f) == Op::Until || self.formulas.op(g) == Op::Until;
                let both = self.and(&[a, c]);
                Some(if strong { self.until(both, b) } else { self.weak_until(both, b) })
            }
            (Node::Release(a, b) | Node::StrongRelease(a, b), Node::Release(c, d) | Node::StrongRelease(c, d))
                if a == c =>
            {
                let strong = self.formulas.op(f) == Op::StrongRelease || self.formulas.op(g) == Op::StrongRelease;
                let both = self.and(&[b, d]);
                Some(if strong { self.strong_release(a, both) } else { self.release(a, both) })
            }
            (Node::Eventually(x), Node::Eventually(y)) => {
                // <>[]a && <>[]b = <>[](a && b)
                let (Node::Always(a), Node::Always(b)) = (self.formulas.node(x), self.formulas.node(y)) else {
                    return None;
                };
                let both = self.and(&[a, b]);
                let both = self.always(both);
                Some(self.eventually(both))
            }
            (Node::Eventually(x), Node::Always(y)) => {
                // a => !b: <>a && [](b || u) = a M (b || u)
                if self.formulas.op(y) != Op::Or {
                    return None;
                }
                let (universal, rest): (Vec<_>, Vec<_>) =
                    self.members(Op::Or, y).into_iter().partition(|&h| self.is(h, Flags::UNIVERSAL));
                let rest = self.or(&rest);
                (!universal.is_empty() && self.excludes(x, rest)).then(|| self.strong_release(x, y))
            }
            _ => None,
        }
    }
}

fn replace(flat: &[Formula], used: &[Formula], joined: Formula) -> Vec<Formula> {
    flat.iter().copied().filter(|f| !used.contains(f)).chain([joined]).collect()
}
