//! The whole way from a formula to small automata.
//!
//! Negation normal form, rewriting, tableau, reductions; then the minimal weak deterministic automaton where the
//! formula is an obligation, else degeneralisation where accepting states are wanted. The automaton of the negation is
//! built on the way, because recognising obligations needs it.

use crate::automaton::Automaton;
use crate::classify::statistics;
use crate::degeneralise::degeneralise;
use crate::guarded::buchi_by_guards;
use crate::label::Labels;
use crate::redundant::drop_redundant;
use crate::simplify::Simplifier;
use crate::simulation::reduce;
use crate::tableau::tableau;
use crate::wdba::minimal_weak;
use crate::{DEPTH_MAX, Flags, Formula, Formulas, Node, Op};
use std::fmt;

/// States before the translation gives up.
const STATES_MAX: usize = 50_000;
/// Automata with more states are not made deterministic.
const WEAK_STATES_MAX: usize = 100;
/// Generalised automata with more states are not compared with their Büchi forms.
const LEVELS_STATES_MAX: usize = 50;
/// Formulas with more propositions are refused: labels are decision diagrams that recurse over them.
const ATOMS_MAX: usize = 512;

/// Why a formula has no automaton here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TranslateError {
    /// The formula is nested deeper than [`DEPTH_MAX`].
    TooDeep,
    /// More propositions than the given number.
    TooManyAtoms(usize),
    /// More than 64 different eventualities.
    TooManyPromises,
    /// One state has more ways on than the given number.
    TooManyTerms(usize),
    /// The automaton has more states than the given number.
    TooManyStates(usize),
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => write!(f, "the formula is nested deeper than {DEPTH_MAX} operators"),
            Self::TooManyAtoms(n) => write!(f, "the formula has more than {n} propositions"),
            Self::TooManyPromises => write!(f, "the formula has more than 64 different eventualities"),
            Self::TooManyTerms(n) => write!(f, "a state of the automaton has more than {n} edges"),
            Self::TooManyStates(n) => write!(f, "the automaton has more than {n} states"),
        }
    }
}

impl std::error::Error for TranslateError {}

/// What kind of automaton is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Marks on edges, as many as it takes.
    Generalised,
    /// Accepting states.
    Buchi,
}

/// Translates a formula; the automaton accepts exactly the words on which the formula holds.
pub fn translate(
    formulas: &mut Formulas,
    f: Formula,
    target: Target,
    labels: &mut Labels,
) -> Result<Automaton, TranslateError> {
    check(formulas, f)?;
    let (yes, no) = formulas.nnf(f);
    let mut simplifier = Simplifier::new(formulas, labels);
    let yes = prepare(&mut simplifier, yes);
    if target == Target::Buchi
        && let Some(result) = buchi_by_guards(simplifier.formulas, yes, simplifier.labels)
    {
        return result;
    }
    let mut a = tableau(&mut simplifier, yes, STATES_MAX)?;
    reduce(&mut a, simplifier.labels);
    // A property that is the same for all suffixes is an obligation only if it is trivial.
    let limit = simplifier.is(yes, Flags::EVENTUAL_UNIVERSAL) && !simplifier.is(yes, Flags::BOOLEAN);
    let weak = if a.state_count() <= WEAK_STATES_MAX && !limit {
        let no = prepare(&mut simplifier, no);
        // Without an automaton of the negation there is no proof, so the attempt is left out.
        tableau(&mut simplifier, no, STATES_MAX).ok().and_then(|mut negation| {
            reduce(&mut negation, simplifier.labels);
            minimal_weak(&a, &negation, simplifier.labels)
        })
    } else {
        None
    };
    let size = |x: &Automaton| (x.state_count(), x.edge_count());
    let smaller = |d: &Automaton, b: &Automaton| d.state_count() <= b.state_count();
    let mut result = match (weak, target) {
        (Some(d), _) if smaller(&d, &a) => d,
        // Levels cost states, yet now and then merging works better on them.
        (None, Target::Generalised) if a.mark_count > 2 || a.state_count() > LEVELS_STATES_MAX => a,
        (weak, _) => {
            let mut b = degeneralise(&a, labels);
            if let Some(d) = weak.filter(|d| smaller(d, &b)) {
                b = d;
            }
            if target == Target::Buchi || size(&b) < size(&a) { b } else { a }
        }
    };
    if target == Target::Generalised && statistics(&result, labels).safety {
        // Every infinite run accepts, so marks would say nothing.
        result.edges.iter_mut().flatten().for_each(|e| e.marks = 0);
        result.mark_count = 0;
        result.state_based = false;
        result.merge_edges(labels);
    }
    Ok(result)
}

/// Only negation normal form, tableau and nothing else: for tests and for comparisons.
pub fn translate_plainly(
    formulas: &mut Formulas,
    f: Formula,
    labels: &mut Labels,
) -> Result<Automaton, TranslateError> {
    check(formulas, f)?;
    let (yes, _) = formulas.nnf(f);
    tableau(&mut Simplifier::new(formulas, labels), yes, STATES_MAX)
}

/// The formula that the tableau is given: negation normal form after rewriting.
pub fn simplify(formulas: &mut Formulas, f: Formula, labels: &mut Labels) -> Result<Formula, TranslateError> {
    check(formulas, f)?;
    let (yes, _) = formulas.nnf(f);
    Ok(prepare(&mut Simplifier::new(formulas, labels), yes))
}

/// Rewrites a formula in negation normal form as the tableau likes it best.
fn prepare(simplifier: &mut Simplifier<'_>, f: Formula) -> Formula {
    let f = simplifier.simplify(f);
    let f = drop_redundant(simplifier, f);
    let f = simplifier.simplify(f);
    gather(simplifier.formulas, f)
}

fn check(formulas: &Formulas, f: Formula) -> Result<(), TranslateError> {
    if formulas.depth(f) > DEPTH_MAX {
        return Err(TranslateError::TooDeep);
    }
    let atoms = formulas.subformulas(f).into_iter().filter(|&g| formulas.op(g) == Op::Atom).count();
    if atoms > ATOMS_MAX { Err(TranslateError::TooManyAtoms(ATOMS_MAX)) } else { Ok(()) }
}

/// On top, and below a conjunction on top, a disjunction of eventualities and limit formulas becomes one eventuality:
/// waiting is then one state.
fn gather(formulas: &mut Formulas, f: Formula) -> Formula {
    if formulas.op(f) == Op::And {
        let members: Vec<Formula> = formulas.operands(f).to_vec();
        let members: Vec<Formula> = members.into_iter().map(|g| gather_or(formulas, g)).collect();
        return formulas.and(&members);
    }
    gather_or(formulas, f)
}

fn gather_or(formulas: &mut Formulas, f: Formula) -> Formula {
    if formulas.op(f) != Op::Or {
        return f;
    }
    let members: Vec<Formula> = formulas.operands(f).to_vec();
    let bodies: Vec<Option<Formula>> = members.iter().map(|&g| awaited(formulas, g)).collect();
    let fits = members.iter().zip(&bodies).all(|(&g, b)| b.is_some() || formulas.is(g, Flags::EVENTUAL_UNIVERSAL));
    if !fits || bodies.iter().all(Option::is_none) {
        return f;
    }
    let bodies: Vec<Formula> = members.iter().zip(bodies).map(|(&g, b)| b.unwrap_or(g)).collect();
    let body = formulas.or(&bodies);
    formulas.eventually(body)
}

/// The g for which a formula is `<>g`, where limit formulas beside the eventuality move below it.
fn awaited(formulas: &mut Formulas, f: Formula) -> Option<Formula> {
    match formulas.node(f) {
        Node::Eventually(g) => Some(g),
        Node::And(list) if formulas.is(f, Flags::EVENTUAL_UNIVERSAL) => {
            let mut list = list.to_vec();
            let at = list.iter().position(|&g| formulas.op(g) == Op::Eventually)?;
            list[at] = formulas.operands(list[at])[0];
            Some(formulas.and(&list))
        }
        _ => None,
    }
}
