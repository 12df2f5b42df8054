//! `ltl` blocks: the temporal and Boolean structure of a formula taken apart, what is left becomes propositions.
//!
//! A part without temporal operators that can fail (an index, a division, a channel) stays whole, because its operators
//! guard each other: `i < 3 -> a[i] == 0` never looks outside the array, its halves alone would.

use crate::Lowering;
use crate::claim::Property;
use crate::mutant::Guard;
use ferrospin_ltl::{AtomId, Formula, Formulas};
use ferrospin_model::ir::{Binary, Expr, Index, Unary};
use ferrospin_model::passes::walk::{self, Item};
use ferrospin_promela::ast::{self, BinaryOp, ExprKind, Program, TemporalBinary, TemporalUnary, UnaryOp, Unit};
use ferrospin_source::Span;
use std::sync::Arc;

impl Lowering<'_> {
    /// Lowers all `ltl` blocks; those without a name are called `ltl_0` and so on, as SPIN does it.
    pub(super) fn formulas(&mut self, program: &Program) {
        let mut unnamed = 0;
        for unit in &program.units {
            let Unit::Ltl(block) = unit else { continue };
            let name = match &block.name {
                Some(n) => n.name.clone(),
                None => {
                    unnamed += 1;
                    format!("ltl_{}", unnamed - 1).into()
                }
            };
            let property = self.property(name, &block.formula, block.at.0);
            self.properties.push(property);
        }
    }

    /// A formula as a property; places and labels in it are still to be filled in.
    pub(super) fn property(&mut self, name: Arc<str>, e: &ast::Expr, span: Span) -> Property {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::default());
        let formula = self.formula(e, &mut formulas, &mut atoms);
        let Atoms { list, texts } = atoms;
        Property { name, formulas, formula, atoms: list, texts, span }
    }

    fn formula(&mut self, e: &ast::Expr, f: &mut Formulas, atoms: &mut Atoms) -> Formula {
        if let Some(whole) = self.boolean(e)
            && may_fail(&whole)
            && !self.mutant.lacks(Guard::FormulaWhole)
        {
            return atoms.proposition(whole, self.text(e), f);
        }
        match &e.kind {
            ExprKind::TemporalUnary(op, a) => {
                let a = self.formula(a, f, atoms);
                match op {
                    TemporalUnary::Always => f.always(a),
                    TemporalUnary::Eventually => f.eventually(a),
                    TemporalUnary::Next => f.next(a),
                }
            }
            ExprKind::TemporalBinary(op, a, b) => {
                let (a, b) = (self.formula(a, f, atoms), self.formula(b, f, atoms));
                match op {
                    TemporalBinary::Until => f.until(a, b),
                    TemporalBinary::Release => f.release(a, b),
                    TemporalBinary::WeakUntil => f.weak_until(a, b),
                    TemporalBinary::Implies => f.implies(a, b),
                    TemporalBinary::Equivalent => f.iff(a, b),
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.formula(a, f, atoms);
                f.not(a)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let operands = [self.formula(a, f, atoms), self.formula(b, f, atoms)];
                if *op == BinaryOp::And { f.and(&operands) } else { f.or(&operands) }
            }
            _ => atoms.proposition(self.expr(e), self.text(e), f),
        }
    }

    /// An expression as it is written: the use of a macro rather than what it stands for.
    fn text(&self, e: &ast::Expr) -> Arc<str> {
        let written = self.map.snippet(self.map.primary(e.at.0));
        written.split_whitespace().collect::<Vec<_>>().join(" ").into()
    }

    /// A formula without temporal operators, as an expression.
    fn boolean(&mut self, e: &ast::Expr) -> Option<Expr> {
        let not = |a| Expr::Unary(Unary::Not, Box::new(a));
        let two = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
        Some(match &e.kind {
            ExprKind::TemporalUnary(..) => return None,
            ExprKind::TemporalBinary(op, a, b) => {
                let (a, b) = (self.boolean(a)?, self.boolean(b)?);
                match op {
                    TemporalBinary::Implies => two(Binary::Or, not(a), b),
                    TemporalBinary::Equivalent => two(Binary::Eq, not(a), not(b)),
                    TemporalBinary::Until | TemporalBinary::Release | TemporalBinary::WeakUntil => return None,
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => not(self.boolean(a)?),
            ExprKind::Binary(BinaryOp::And, a, b) => two(Binary::And, self.boolean(a)?, self.boolean(b)?),
            ExprKind::Binary(BinaryOp::Or, a, b) => two(Binary::Or, self.boolean(a)?, self.boolean(b)?),
            _ => self.expr(e),
        })
    }
}

/// The propositions of a formula.
#[derive(Default)]
struct Atoms {
    list: Vec<Expr>,
    texts: Vec<Arc<str>>,
}

impl Atoms {
    fn proposition(&mut self, atom: Expr, text: Arc<str>, f: &mut Formulas) -> Formula {
        let i = self.list.iter().position(|a| a == &atom && !matches!(a, Expr::AtLocation(..)));
        let i = i.unwrap_or_else(|| {
            self.list.push(atom);
            self.texts.push(text);
            self.list.len() - 1
        });
        f.atom(AtomId(i as u32))
    }
}

/// Whether an expression may have no value in some state; judged by its form alone.
pub(super) fn may_fail(e: &Expr) -> bool {
    let index = |i: &Index| !matches!(i.value, Expr::Const(n) if n >= 0 && (n as u32) < i.len);
    let mut fails = false;
    walk::expr(e, &mut |item| {
        fails |= match item {
            Item::Expr(Expr::Binary(Binary::Div | Binary::Rem, _, b)) => !matches!(**b, Expr::Const(n) if n != 0),
            Item::Expr(Expr::Channel(..) | Expr::Poll(_)) => true,
            Item::Read(place) | Item::Remote(_, place) => place.indices.iter().any(index),
            Item::Expr(_) | Item::Write(_) => false,
        }
    });
    fails
}
