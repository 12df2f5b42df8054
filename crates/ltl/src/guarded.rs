//! Guarded marks: `[]<>b` for Boolean b without a tableau.
//!
//! A conjunct `[]<>b` on top of a formula says that letters of b come infinitely often. The tableau would give every
//! combination of such conjuncts an edge of its own; but the emptiness check that evaluates b in a state of the system
//! can as well set the mark itself. So these conjuncts are split off, which is exact: a word satisfies `f && []<>b` if
//! the automaton of f accepts it and b holds infinitely often on it.

use crate::automaton::Automaton;
use crate::degeneralise::degeneralise_guarded;
use crate::label::{Label, Labels};
use crate::simplify::Simplifier;
use crate::translate::{Target, TranslateError, translate};
use crate::{Flags, Formula, Formulas, Node, Op, simplify};

/// Fewer guards than this are left to the tableau when accepting states are wanted: reductions then see them.
const GUARDS_MIN: usize = 5;

/// An automaton together with letters that must come infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guarded {
    /// Accepts what remains of the formula.
    pub automaton: Automaton,
    /// Further conditions: letters of each label come infinitely often.
    pub guards: Vec<Label>,
}

/// Translates a formula with its conjuncts `[]<>b` as guards.
pub fn translate_guarded(formulas: &mut Formulas, f: Formula, labels: &mut Labels) -> Result<Guarded, TranslateError> {
    let simple = simplify(formulas, f, labels)?;
    let (guards, rest) = split(formulas, simple, labels);
    Ok(Guarded { automaton: translate(formulas, rest, Target::Generalised, labels)?, guards })
}

/// A Büchi automaton by way of guards, for a rewritten formula that has many of them.
pub(crate) fn buchi_by_guards(
    formulas: &mut Formulas,
    f: Formula,
    labels: &mut Labels,
) -> Option<Result<Automaton, TranslateError>> {
    let (guards, rest) = split(formulas, f, labels);
    if guards.len() < GUARDS_MIN {
        return None;
    }
    let rest = translate(formulas, rest, Target::Generalised, labels);
    Some(rest.map(|a| degeneralise_guarded(&a, &guards, labels)))
}

/// The labels of conjuncts `[]<>b`, and the conjunction of the others.
fn split(formulas: &mut Formulas, f: Formula, labels: &mut Labels) -> (Vec<Label>, Formula) {
    let members: Vec<Formula> = if formulas.op(f) == Op::And { formulas.operands(f).to_vec() } else { vec![f] };
    let mut guards = Vec::new();
    let mut rest = Vec::new();
    for g in members {
        match recurring(formulas, g) {
            Some(b) => guards.push(Simplifier::new(formulas, labels).label(b)),
            None => rest.push(g),
        }
    }
    (guards, formulas.and(&rest))
}

/// The Boolean b for which a formula is `[]<>b`.
fn recurring(formulas: &Formulas, f: Formula) -> Option<Formula> {
    let Node::Always(g) = formulas.node(f) else { return None };
    let Node::Eventually(b) = formulas.node(g) else { return None };
    formulas.is(b, Flags::BOOLEAN).then_some(b)
}
