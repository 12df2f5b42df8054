//! Automata from files as properties: `--ltl FILE.hoa`.
//!
//! Like a never claim, the automaton accepts the runs that are violations. Its propositions are expressions of the model,
//! spelled as in an `ltl` block; the model's macros can be used in them.

use super::closing::{self, Subject};
use super::{Answer, Question, answer};
use crate::files;
use crate::formula::Typed;
use crate::front::Front;
use crate::report::PropertyKind;
use crate::run::Runnable;
use crate::verify::{Closing, Options, Refusal};
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{Atoms, Formula, Formulas, Labels, Node, degeneralise, read_hoa};
use ferrospin_model::ir::{Binary, Expr, Model, Unary, Uses};
use ferrospin_search::emptiness::product::Goal;
use std::sync::Arc;
use thiserror::Error;

/// Checks that no run is accepted by the automata of a file.
pub(super) fn check(front: &Front, runnable: &Runnable, options: &Options, path: &str) -> Result<Answer, Refusal> {
    let refuse = |why: &str| Refusal::Refused(format!("`{path}`: {why}"));
    let text = std::fs::read(path).map_err(|e| refuse(&format!("cannot be read: {}", files::why(&e))))?;
    let text = String::from_utf8_lossy(&text);
    let (mut atoms, mut labels) = (Atoms::new(), Labels::new());
    let (automata, said) = read_hoa(&text, 0, &mut atoms, &mut labels);
    if let Some(d) = said.iter().next() {
        return Err(refuse(&d.message));
    }
    let [automaton] = automata.as_slice() else {
        return Err(refuse(&format!("{} automata where one is expected", automata.len())));
    };
    let mut buchi = automaton.automaton.clone();
    if !(buchi.state_based || buchi.mark_count == 0) {
        buchi = degeneralise(&buchi, &mut labels);
    }
    let (mut exprs, mut uses) = (Vec::new(), runnable.model.uses);
    for (_, atom) in atoms.iter() {
        let (expr, used) = proposition(front, runnable, &atom.text).map_err(|why| refuse(&why.to_string()))?;
        exprs.push(expr);
        uses = uses.union(used);
    }
    let model = &Arc::new(Model { uses, ..Model::clone(&runnable.model) });
    let property = Property {
        name: path.into(),
        formulas: Formulas::new(),
        formula: Formulas::FALSE,
        atoms: exprs,
        texts: Vec::new(),
        span: ferrospin_source::Span::NONE,
    };
    if options.stutter_close != Closing::Off {
        let subject = Subject::automaton(&property, buchi, labels);
        let off = Options { stutter_close: Closing::Off, ..options.clone() };
        let original = || check(front, runnable, &off, path);
        return closing::check(front, model, options, (path, PropertyKind::Ltl), Ok(subject), &original);
    }
    let (with, claim) =
        claim::add_automaton(model, &property, &buchi, &mut labels).map_err(|e| refuse(&e.to_string()))?;
    let question = Question {
        name: path,
        kind: PropertyKind::Ltl,
        goal: Goal::Accepting,
        claim: Some(claim),
        property: None,
        stutters: false,
        ends_early: false,
        only_infinite: false,
    };
    answer(front, &Arc::new(with.with_claim(claim)), options, &question)
}

/// Why a proposition of an automaton is no expression of the model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
enum NoExpression {
    #[error("the proposition `{0}` is no expression of the model: {1}")]
    Unreadable(String, String),
    #[error("{0}")]
    Refused(Refusal),
    #[error("the proposition `{0}` is a formula, not an expression")]
    Formula(String),
}

/// The expression that a proposition stands for, and what the model and it make use of.
fn proposition(front: &Front, runnable: &Runnable, text: &str) -> Result<(Expr, Uses), NoExpression> {
    let Typed { property, uses, .. } = Typed::read(front, runnable, text).map_err(|refusal| match refusal {
        Refusal::Formula(bad) => NoExpression::Unreadable(text.into(), bad.reason().into()),
        refusal => NoExpression::Refused(refusal),
    })?;
    let expr = expression(&property, property.formula);
    expr.map(|expr| (expr, uses)).ok_or_else(|| NoExpression::Formula(text.into()))
}

/// A formula without temporal operators as an expression.
fn expression(property: &Property, f: Formula) -> Option<Expr> {
    let join = |op: Binary, list: &[Formula]| {
        let mut parts = list.iter().map(|g| expression(property, *g));
        let first = parts.next()??;
        parts.try_fold(first, |sum, part| Some(Expr::Binary(op, Box::new(sum), Box::new(part?))))
    };
    match property.formulas.node(f) {
        Node::Atom(a) => Some(property.atoms[a.0 as usize].clone()),
        Node::True => Some(Expr::Const(1)),
        Node::False => Some(Expr::Const(0)),
        Node::Not(g) => Some(Expr::Unary(Unary::Not, Box::new(expression(property, g)?))),
        Node::And(list) => join(Binary::And, list),
        Node::Or(list) => join(Binary::Or, list),
        _ => None,
    }
}
