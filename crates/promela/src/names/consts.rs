//! Constant expressions: array bounds, channel capacities, numbers of processes, priorities.
//!
//! SPIN knows numbers, `mtype` constants, `-`, `+`, `*`, `/`, `%` and parentheses there, and one exception: the bare
//! name of a variable, which stands for its constant initialiser.

use super::resolver::Resolver;
use super::{Def, VarId};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use ferrospin_source::Diagnostic;

/// What stands where a constant is expected.
pub(super) enum Constant {
    Value(i32),
    /// The bare name of a variable.
    Var(VarId),
    /// Something else, reported already.
    Bad,
}

impl Resolver<'_> {
    /// Evaluates a constant expression; `what` names the place in messages.
    pub(super) fn constant(&mut self, e: &Expr, what: &str) -> Constant {
        if let ExprKind::Ref(r) = &e.kind
            && let [only] = &r.path[..]
            && only.index.is_none()
        {
            return match self.lookup(&only.name.name) {
                Some(Def::MtypeConst(list, value)) => {
                    self.define(&only.name, Def::MtypeConst(list, value));
                    Constant::Value(i32::from(value))
                }
                Some(Def::Var(v)) => {
                    self.define(&only.name, Def::Var(v));
                    Constant::Var(v)
                }
                Some(_) => {
                    self.not_constant(e, what);
                    Constant::Bad
                }
                None => {
                    self.undeclared(&only.name, "constant");
                    Constant::Bad
                }
            };
        }
        match self.fold(e, what) {
            Some(v) => Constant::Value(v),
            None => Constant::Bad,
        }
    }

    fn fold(&mut self, e: &Expr, what: &str) -> Option<i32> {
        match &e.kind {
            ExprKind::Const(v, _) => Some(*v),
            ExprKind::Ref(_) => match self.constant(e, what) {
                Constant::Value(v) => Some(v),
                Constant::Var(_) => {
                    self.not_constant(e, what);
                    None
                }
                Constant::Bad => None,
            },
            ExprKind::Unary(UnaryOp::Minus, a) => Some(self.fold(a, what)?.wrapping_neg()),
            ExprKind::Binary(op, a, b) => {
                let (a, right) = (self.fold(a, what)?, self.fold(b, what)?);
                match op {
                    BinaryOp::Add => Some(a.wrapping_add(right)),
                    BinaryOp::Sub => Some(a.wrapping_sub(right)),
                    BinaryOp::Mul => Some(a.wrapping_mul(right)),
                    BinaryOp::Div | BinaryOp::Rem if right == 0 => {
                        self.error(Diagnostic::error("divide-by-zero", b.at.0, format!("division by zero in {what}")));
                        None
                    }
                    BinaryOp::Div => Some(a.wrapping_div(right)),
                    BinaryOp::Rem => Some(a.wrapping_rem(right)),
                    _ => {
                        self.not_constant(e, what);
                        None
                    }
                }
            }
            _ => {
                self.not_constant(e, what);
                None
            }
        }
    }

    fn not_constant(&mut self, e: &Expr, what: &str) {
        self.error(
            Diagnostic::error("not-constant", e.at.0, format!("{what} must be a constant"))
                .label("not a constant")
                .note("allowed are numbers, `mtype` constants, and `+ - * / %` of these; use `#define` for a name"),
        );
    }
}
