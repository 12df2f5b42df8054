//! The one formula of each pattern, for the whole run.

use super::{Pattern, Role};
use crate::{Formula, Formulas};

/// What a pattern says about a whole run.
pub(super) fn body(pattern: Pattern, bound: u32, f: &mut Formulas, state: &dyn Fn(Role) -> Formula) -> Formula {
    let [p, s, t, z] = [Role::P, Role::S, Role::T, Role::Z].map(state);
    let not_p = f.not(p);
    match pattern {
        Pattern::Absence => f.always(not_p),
        Pattern::Existence => f.eventually(p),
        Pattern::BoundedExistence => {
            // After the last stretch P is over.
            let mut rest = f.always(not_p);
            for _ in 0..bound {
                let stretch = f.weak_until(p, rest);
                rest = f.weak_until(not_p, stretch);
            }
            rest
        }
        Pattern::Universality => f.always(p),
        Pattern::Precedence => f.weak_until(not_p, s),
        Pattern::StrictPrecedence => {
            let first = f.and(&[s, not_p]);
            f.weak_until(not_p, first)
        }
        Pattern::Response => {
            let later = f.eventually(s);
            whenever(f, p, later)
        }
        Pattern::StrictResponse => {
            let later = strictly_later(f, s);
            whenever(f, p, later)
        }
        Pattern::PrecedenceChain21 => {
            let second = f.weak_until(not_p, t);
            let second = f.next(second);
            let first = f.and(&[s, not_p, second]);
            f.weak_until(not_p, first)
        }
        Pattern::PrecedenceChain12 => {
            let chain = chain(f, s, t);
            let no_chain = f.not(chain);
            f.weak_until(no_chain, p)
        }
        Pattern::ResponseChain21 => {
            let answer = f.eventually(p);
            let second = f.and(&[t, answer]);
            let answered = strictly_later(f, second);
            let chain = chain(f, s, t);
            whenever(f, chain, answered)
        }
        Pattern::ResponseChain12 => {
            let chain = chain(f, s, t);
            let later = f.eventually(chain);
            whenever(f, p, later)
        }
        Pattern::ConstrainedChain => {
            let not_z = f.not(z);
            let second = f.until(not_z, t);
            let second = f.next(second);
            let chain = f.and(&[s, not_z, second]);
            let later = f.eventually(chain);
            whenever(f, p, later)
        }
    }
}

fn whenever(f: &mut Formulas, cause: Formula, effect: Formula) -> Formula {
    let step = f.implies(cause, effect);
    f.always(step)
}

/// `X <> g`
fn strictly_later(f: &mut Formulas, g: Formula) -> Formula {
    let later = f.eventually(g);
    f.next(later)
}

/// S, and later T.
fn chain(f: &mut Formulas, s: Formula, t: Formula) -> Formula {
    let later = strictly_later(f, t);
    f.and(&[s, later])
}
