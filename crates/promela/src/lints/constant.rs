//! Values of constant expressions.

use super::walk::{self, Visitor};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use ferrospin_source::ExpansionId;

/// The value of an expression without variables, in SPIN's 32-bit arithmetic. Constants of an `mtype` are no numbers.
pub(crate) fn value(expr: &Expr) -> Option<i64> {
    fold(expr).map(i64::from)
}

/// The value of an expression that is written out in place. A constant that comes from a macro or from an argument of an
/// inline is a parameter of the model: for other values the model means something else, so nothing is made of it.
pub(crate) fn written(expr: &Expr) -> Option<i64> {
    struct Alike(ExpansionId, bool);
    impl Visitor for Alike {
        fn expr(&mut self, expr: &Expr) {
            self.1 &= expr.at.0.expansion == self.0;
        }
    }
    let value = value(expr)?;
    let mut alike = Alike(ExpansionId::NONE, true);
    walk::expr(expr, &mut alike);
    alike.1.then_some(value)
}

fn fold(expr: &Expr) -> Option<i32> {
    let truth = |b: bool| Some(i32::from(b));
    match &expr.kind {
        ExprKind::Const(value, _) => Some(*value),
        ExprKind::Unary(op, x) => {
            let x = fold(x)?;
            match op {
                UnaryOp::Minus => Some(x.wrapping_neg()),
                UnaryOp::Complement => Some(!x),
                UnaryOp::Not => truth(x == 0),
            }
        }
        ExprKind::Binary(op, x, y) => {
            use BinaryOp::*;
            let (x, y) = (fold(x), fold(y));
            // One side decides where the other need not be evaluated or cannot matter.
            match (op, x, y) {
                (And, Some(0), _) | (And, _, Some(0)) => return Some(0),
                (Or, Some(n), _) | (Or, _, Some(n)) if n != 0 => return Some(1),
                _ => {}
            }
            let (x, y) = (x?, y?);
            match op {
                Add => Some(x.wrapping_add(y)),
                Sub => Some(x.wrapping_sub(y)),
                Mul => Some(x.wrapping_mul(y)),
                Div => x.checked_div(y),
                Rem => x.checked_rem(y),
                BitAnd => Some(x & y),
                BitXor => Some(x ^ y),
                BitOr => Some(x | y),
                Shl => u32::try_from(y).ok().and_then(|y| x.checked_shl(y)),
                Shr => u32::try_from(y).ok().and_then(|y| x.checked_shr(y)),
                Lt => truth(x < y),
                Le => truth(x <= y),
                Gt => truth(x > y),
                Ge => truth(x >= y),
                Eq => truth(x == y),
                Ne => truth(x != y),
                And => truth(x != 0 && y != 0),
                Or => truth(x != 0 || y != 0),
            }
        }
        ExprKind::Cond(c, x, y) => {
            if fold(c)? != 0 {
                fold(x)
            } else {
                fold(y)
            }
        }
        _ => None,
    }
}
