//! Scopes: a formula for the whole run restricted to intervals.
//!
//! `restrict(f)` says at a position where R is false what f says of the interval that ends just before the next R, or
//! never if there is none. It is defined operator by operator, so that all scopes of a pattern come from one body.

use super::{Intervals, Property, Scope};
use crate::{Flags, Formula, Formulas, Node};

/// The formula of a scope around a body.
pub(super) fn apply(property: &Property, body: Formula, f: &mut Formulas, q: Formula, r: Formula) -> Formula {
    match property.scope {
        Scope::Globally => body,
        Scope::Before => {
            let inside = restrict(f, body, r);
            let inside = if_ended(f, inside, r);
            let inside = if is_until_end(f, inside, r) { inside } else { f.or(&[r, inside]) };
            let ends = f.eventually(r);
            f.implies(ends, inside)
        }
        Scope::After => {
            if let Node::Always(_) = f.node(body) {
                // Then any Q may begin it.
                let step = f.implies(q, body);
                return f.always(step);
            }
            let not_q = f.not(q);
            let first = f.and(&[q, body]);
            f.weak_until(not_q, first)
        }
        Scope::Between | Scope::AfterUntil => {
            let inside = restrict(f, body, r);
            match property.intervals {
                Intervals::Every => every(property.scope, inside, f, q, r),
                Intervals::Outermost => outermost(property.scope, inside, f, q, r),
            }
        }
    }
}

fn every(scope: Scope, inside: Formula, f: &mut Formulas, q: Formula, r: Formula) -> Formula {
    let not_r = f.not(r);
    let step = if scope == Scope::Between {
        let inside = if_ended(f, inside, r);
        let ends = f.eventually(r);
        let opens = f.and(&[q, not_r, ends]);
        f.implies(opens, inside)
    } else {
        let opens = f.and(&[q, not_r]);
        f.implies(opens, inside)
    };
    f.always(step)
}

/// The first Q at the beginning, and the first Q after every R.
fn outermost(scope: Scope, inside: Formula, f: &mut Formulas, q: Formula, r: Formula) -> Formula {
    let (not_q, not_r) = (f.not(q), f.not(r));
    let inside = if scope == Scope::Between {
        let inside = if_ended(f, inside, r);
        let ends = f.eventually(r);
        f.implies(ends, inside)
    } else {
        inside
    };
    let waiting = f.or(&[not_q, r]);
    let opens = f.and(&[q, not_r, inside]);
    let next = f.weak_until(waiting, opens);
    let again = f.implies(r, next);
    let always = f.always(again);
    f.and(&[next, always])
}

/// `a W b` is `a U b` where R comes, if b holds with R.
fn if_ended(f: &mut Formulas, inside: Formula, r: Formula) -> Formula {
    match f.node(inside) {
        Node::WeakUntil(a, b) if holds_with(f, b, r) => f.until(a, b),
        _ => inside,
    }
}

/// Whether a formula is `a U b` such that b holds with R: then it is true where R holds.
fn is_until_end(f: &Formulas, inside: Formula, r: Formula) -> bool {
    matches!(f.node(inside), Node::Until(_, b) if holds_with(f, b, r))
}

/// Whether a formula is R or a disjunction with R in it.
fn holds_with(f: &Formulas, b: Formula, r: Formula) -> bool {
    b == r || matches!(f.node(b), Node::Or(list) if list.contains(&r) || is_part(f, list, r))
}

/// Whether R is itself a disjunction whose members are all among those of a larger one.
fn is_part(f: &Formulas, list: &[Formula], r: Formula) -> bool {
    matches!(f.node(r), Node::Or(members) if members.iter().all(|m| list.contains(m)))
}

/// What `g` says of the interval that ends just before the next R; meant for positions where R is false.
fn restrict(f: &mut Formulas, g: Formula, r: Formula) -> Formula {
    if f.is(g, Flags::BOOLEAN) {
        return g;
    }
    let not_r = f.not(r);
    let mut operands: Vec<Formula> = f.operands(g).to_vec();
    operands.iter_mut().for_each(|h| *h = restrict(f, *h, r));
    let inside = |f: &mut Formulas, h: Formula| f.and(&[not_r, h]);
    match (f.node(g), &operands[..]) {
        (Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..), list) => {
            f.apply(f.op(g), list)
        }
        (Node::Next(_), &[h]) => {
            let h = inside(f, h);
            f.next(h)
        }
        (Node::Eventually(_), &[h]) => {
            let h = inside(f, h);
            f.until(not_r, h)
        }
        (Node::Always(_), &[h]) => f.weak_until(h, r),
        (Node::Until(..), &[a, b]) => {
            let (a, b) = (inside(f, a), inside(f, b));
            f.until(a, b)
        }
        (Node::WeakUntil(..), &[a, b]) => {
            let b = f.or(&[r, b]);
            f.weak_until(a, b)
        }
        _ => unreachable!("bodies of patterns have no other operator"),
    }
}
