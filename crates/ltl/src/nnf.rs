//! Negation normal form.
//!
//! `->`, `<->`, `xor` and `!` vanish; negation stays only on propositions. The forms of a formula and of its negation
//! are built together, because both automata are needed later. `F`, `G`, `W` and `M` stay: writing `W` with `U` would
//! copy an operand. Shared subformulas are visited once, in the order of their indices, without recursion.

use crate::{Formula, Formulas, Node};

impl Formulas {
    /// The subformulas of `f`, itself included, in ascending order: operands come before what they belong to.
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        let mut wanted = vec![false; f.0 as usize + 1];
        wanted[f.0 as usize] = true;
        for i in (0..=f.0).rev() {
            if wanted[i as usize] {
                self.operands(Formula(i)).iter().for_each(|k| wanted[k.0 as usize] = true);
            }
        }
        (0..=f.0).filter(|&i| wanted[i as usize]).map(Formula).collect()
    }

    /// Negation normal forms of `f` and of `!f`.
    pub fn nnf(&mut self, f: Formula) -> (Formula, Formula) {
        let order = self.subformulas(f);
        let mut forms = vec![(Self::TRUE, Self::FALSE); f.0 as usize + 1];
        for g in order {
            let of = |k: Formula| forms[k.0 as usize];
            let node = self.node(g);
            let pair = match node {
                Node::True => (Self::TRUE, Self::FALSE),
                Node::False => (Self::FALSE, Self::TRUE),
                Node::Atom(_) => (g, self.not(g)),
                Node::Not(h) => (of(h).1, of(h).0),
                Node::And(list) | Node::Or(list) => {
                    let conjunction = matches!(node, Node::And(_));
                    let (yes, no): (Vec<_>, Vec<_>) = list.iter().map(|&h| of(h)).unzip();
                    if conjunction { (self.and(&yes), self.or(&no)) } else { (self.or(&yes), self.and(&no)) }
                }
                Node::Implies(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.or(&[a.1, b.0]), self.and(&[a.0, b.1]))
                }
                Node::Iff(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.nnf_iff(a, b), self.nnf_iff(a, (b.1, b.0)))
                }
                Node::Xor(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.nnf_iff(a, (b.1, b.0)), self.nnf_iff(a, b))
                }
                Node::Next(h) => {
                    let h = of(h);
                    (self.next(h.0), self.next(h.1))
                }
                Node::Eventually(h) => {
                    let h = of(h);
                    (self.eventually(h.0), self.always(h.1))
                }
                Node::Always(h) => {
                    let h = of(h);
                    (self.always(h.0), self.eventually(h.1))
                }
                Node::Until(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.until(a.0, b.0), self.release(a.1, b.1))
                }
                Node::Release(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.release(a.0, b.0), self.until(a.1, b.1))
                }
                Node::WeakUntil(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.weak_until(a.0, b.0), self.strong_release(a.1, b.1))
                }
                Node::StrongRelease(a, b) => {
                    let (a, b) = (of(a), of(b));
                    (self.strong_release(a.0, b.0), self.weak_until(a.1, b.1))
                }
            };
            forms[g.0 as usize] = pair;
        }
        forms[f.0 as usize]
    }

    /// `a <-> b` from the forms of both operands and of their negations.
    fn nnf_iff(&mut self, a: (Formula, Formula), b: (Formula, Formula)) -> Formula {
        let both = self.and(&[a.0, b.0]);
        let neither = self.and(&[a.1, b.1]);
        self.or(&[both, neither])
    }
}
