//! `ltl` blocks: the temporal and Boolean structure of a formula taken apart, what is left becomes propositions.

use super::Lowering;
use crate::claim::Property;
use crate::ir::Expr;
use ferrospin_ltl::{AtomId, Formula, Formulas};
use ferrospin_promela::ast::{self, BinaryOp, ExprKind, Program, TemporalBinary, TemporalUnary, UnaryOp, Unit};

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
            let (mut formulas, mut atoms) = (Formulas::new(), Vec::new());
            let formula = self.formula(&block.formula, &mut formulas, &mut atoms);
            self.properties.push(Property { name, formulas, formula, atoms, span: block.at.0 });
        }
    }

    fn formula(&mut self, e: &ast::Expr, f: &mut Formulas, atoms: &mut Vec<Expr>) -> Formula {
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
            _ => {
                let atom = self.expr(e);
                let i = atoms.iter().position(|a| a == &atom && !matches!(a, Expr::AtLocation(..)));
                let i = i.unwrap_or_else(|| {
                    atoms.push(atom);
                    atoms.len() - 1
                });
                f.atom(AtomId(i as u32))
            }
        }
    }
}
