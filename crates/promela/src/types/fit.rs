//! Whether a value fits where it is stored, and beside what it is compared with.

use super::graph::{Cause, Reason};
use super::infer::{Checker, Type};
use super::number::Range;
use crate::ast::{Expr, ExprKind};
use crate::lints::{error, warning};
use crate::names::Var;
use ferrospin_source::{Diagnostic, Span};

impl Checker<'_> {
    /// Both sides of `==` and `!=`.
    pub(super) fn comparable(&mut self, a: Type, b: Type, x_expr: &Expr, y_expr: &Expr, whole: Span) {
        let (left, right) = (x_expr.at.0, y_expr.at.0);
        // What fits is left first: the text of a type is not free.
        match (&a, &b) {
            (Type::Unknown, _) | (_, Type::Unknown) => return,
            (Type::Number { .. }, Type::Number { .. }) | (Type::Bool, Type::Bool) | (Type::Pid, Type::Pid) => return,
            (Type::Mtype(m), Type::Mtype(n)) if m == n => return,
            // Zero is "not set" for mtypes and channels.
            (Type::Mtype(_) | Type::Chan(_), zero) | (zero, Type::Mtype(_) | Type::Chan(_)) if zero.is_zero() => return,
            (Type::Chan(m), Type::Chan(n)) => {
                let reason = Reason { span: whole, cause: Cause::Compared, subject: left, object: right };
                return self.link(*m, *n, reason);
            }
            _ => {}
        }
        let (x, y) = (self.type_text(&a), self.type_text(&b));
        match (&a, &b) {
            (Type::Mtype(_), Type::Mtype(_)) => {
                let message = format!("`{x}` and `{y}` are different lists of constants");
                self.said.push(
                    error("compare", whole, message)
                        .also(left, format!("`{x}`"))
                        .also(right, format!("`{y}`"))
                        .note("equal numbers of different lists mean different things"),
                );
            }
            (Type::Bool, Type::Number { range, constant }) | (Type::Number { range, constant }, Type::Bool) => {
                // A constant that is no truth value is the business of `impossible-value`.
                if !self.options.lax_bool && !constant && !Range::BIT.contains(*range) {
                    let message = format!("a truth value is compared with a number: `{x}` and `{y}`");
                    self.said.push(warning("bool-number", whole, message));
                }
            }
            (Type::Mtype(_), Type::Number { .. } | Type::Bool) | (Type::Number { .. } | Type::Bool, Type::Mtype(_)) => {
                let message = format!("`{x}` is compared with `{y}`");
                let number = if let Type::Mtype(_) = a { y_expr } else { x_expr };
                let said = error("mtype-arith", whole, message)
                    .also(left, format!("`{x}`"))
                    .also(right, format!("`{y}`"))
                    .note("values of an mtype depend on the order of declaration; use the names");
                self.misdeclared(number, said);
            }
            (Type::Pid, _) | (_, Type::Pid) => {
                let message = format!("a process number is compared with something else: `{x}` and `{y}`");
                self.said.push(error("strict-pid", whole, message));
            }
            _ => {
                let message = format!("`{x}` is compared with `{y}`");
                self.said
                    .push(error("compare", whole, message).also(left, format!("`{x}`")).also(right, format!("`{y}`")));
            }
        }
    }

    /// Says what is wrong with a number beside an `mtype`. If the number is a variable, all such messages about it have
    /// one cause: it was probably meant to be an `mtype`.
    fn misdeclared(&mut self, number: &Expr, said: Diagnostic) {
        match &number.kind {
            ExprKind::Ref(reference) => match self.declared(reference).map(|v| (v.at.0, v.name.clone())) {
                Some((at, name)) => self.said.push_grouped(
                    format!("number {} {}", at.lo, at.hi),
                    said.also(at, format!("if `{name}` is meant to hold names, declare it `mtype`")),
                ),
                None => self.said.push(said),
            },
            _ => self.said.push(said),
        }
    }

    /// Whether a value fits where it is stored.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn store(
        &mut self,
        target: &Type,
        value: Type,
        what: &str,
        var: &Var,
        expr: &Expr,
        cause: Cause,
        object: Span,
    ) {
        let span = expr.at.0;
        match (target, &value) {
            (Type::Unknown, _) | (_, Type::Unknown) | (Type::Bool, Type::Bool) | (Type::Pid, Type::Pid) => return,
            (Type::Number { range: x, .. }, Type::Number { range: y, .. }) if x.contains(*y) => return,
            (Type::Mtype(m), Type::Mtype(n)) if m == n => return,
            (Type::Mtype(_) | Type::Chan(_), zero) if zero.is_zero() => return,
            (Type::Record(m, _), Type::Record(n, _)) if m == n => return,
            (Type::Chan(m), Type::Chan(n)) => return self.link(*m, *n, Reason { span, cause, subject: span, object }),
            _ => {}
        }
        let text = self.type_text(&value);
        let wanted = super::show::type_name(self.names, var.ty);
        match (target, &value) {
            (Type::Number { range, .. }, Type::Number { range: given, constant }) => {
                // Constants are the business of `const-range`.
                if !constant && !range.contains(*given) {
                    let message = format!("{what} is `{wanted}`, but the value is `{text}`");
                    self.said.push(warning("narrowing", span, message).note("what does not fit is cut off"));
                }
            }
            (Type::Bool, Type::Number { range, constant }) => {
                if !constant && !Range::BIT.contains(*range) {
                    let message = format!("{what} is `{wanted}`, but the value is `{text}`");
                    self.said.push(warning("narrowing", span, message).note(
                        "only the lowest bit is kept: 2 becomes false; compare with `!= 0` to get a truth value",
                    ));
                }
            }
            (Type::Number { range, .. }, Type::Bool) => {
                if !self.options.lax_bool && *range != Range::BIT {
                    let message = format!("{what} is `{wanted}`, but the value is a truth value");
                    self.said.push(warning("bool-number", span, message));
                }
            }
            (Type::Pid, _) | (_, Type::Pid) if !matches!(target, Type::Chan(_) | Type::Mtype(_)) => {
                let message = format!("{what} is `{wanted}`, but the value is `{text}`");
                self.said.push(error("strict-pid", span, message));
            }
            _ => {
                let code = match (target, &value) {
                    (Type::Chan(_), _) | (_, Type::Chan(_)) => "chan-type",
                    _ => "assign",
                };
                let message = format!("{what} is `{wanted}`, but the value is `{text}`");
                let mut said = error(code, span, message);
                if let (Type::Number { .. } | Type::Bool, Type::Mtype(_)) = (target, &value) {
                    let at = var.at.0;
                    let hint = format!("if `{}` is meant to hold names, declare it `mtype`", var.name);
                    return self.said.push_grouped(format!("number {} {}", at.lo, at.hi), said.also(at, hint));
                }
                if let (Type::Mtype(id), Type::Number { .. }) = (target, &value)
                    && let Some(list) = self.names.mtypes.get(id.index())
                    && !list.constants.is_empty()
                {
                    let shown: Vec<_> = list.constants.iter().rev().take(6).map(|(n, _)| format!("`{n}`")).collect();
                    let more = if list.constants.len() > 6 { ", ..." } else { "" };
                    said = said.note(format!("constants of `{wanted}`: {}{more}", shown.join(", ")));
                }
                self.said.push(said);
            }
        }
    }
}
