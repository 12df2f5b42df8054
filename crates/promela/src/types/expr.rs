//! Types of expressions.

use super::graph::{Cause, NodeId, Reason};
use super::infer::{Checker, Place, Type};
use super::number::Range;
use crate::ast::{BinaryOp, Expr, ExprKind, Spelling, TemporalBinary, UnaryOp, VarRef};
use crate::lints::{constant, error, warning};
use crate::names::{Def, Init, Ty};
use ferrospin_source::Span;

impl Checker<'_> {
    /// The type of an expression; says what does not fit in it.
    pub(super) fn expr(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::Const(_, Spelling::Word | Spelling::Skip) => Type::Bool,
            ExprKind::Const(value, _) => Type::Number { range: Range::of(i64::from(*value)), constant: true },
            ExprKind::Ref(reference) => self.place(reference),
            ExprKind::Unary(UnaryOp::Not, operand) => {
                self.condition(operand);
                Type::Bool
            }
            ExprKind::Unary(_, operand) => {
                let ty = self.expr(operand);
                self.operand(&ty, operand.at.0, expr.at.0);
                folded(expr, ty)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::Cond(test, yes, no) => {
                self.condition(test);
                let (a, b) = (self.expr(yes), self.expr(no));
                self.branches(a, b, yes.at.0, no.at.0)
            }
            ExprKind::Run { name, args, priority } => {
                if let Some(priority) = priority {
                    self.expr(&priority.value);
                }
                self.run_process(name, args);
                self.pid()
            }
            ExprKind::Len(channel) => {
                self.channel(channel);
                Type::Number { range: Range { lo: 0, hi: self.capacity(channel) }, constant: false }
            }
            ExprKind::Probe(_, channel) => {
                self.channel(channel);
                Type::Bool
            }
            ExprKind::Poll { channel, args, .. } => {
                self.receive(channel, args, expr.at.0);
                Type::Bool
            }
            ExprKind::Enabled(pid) => {
                self.process_number(pid);
                Type::Bool
            }
            ExprKind::PcValue(pid) => {
                self.process_number(pid);
                Type::Number { range: Range::BYTE, constant: false }
            }
            ExprKind::GetPriority(pid) => {
                self.process_number(pid);
                Type::Number { range: Range::BYTE, constant: false }
            }
            ExprKind::Timeout | ExprKind::NonProgress => Type::Bool,
            ExprKind::RemoteLabel { pid, .. } => {
                if let Some(pid) = pid {
                    self.process_number(pid);
                }
                Type::Bool
            }
            ExprKind::RemoteVar { pid, var, .. } => {
                if let Some(pid) = pid {
                    self.process_number(pid);
                }
                if let Some(index) = &var.index {
                    self.expr(index);
                }
                match self.names.def(&var.name) {
                    Some(Def::Var(id)) if id.index() < self.names.vars.len() => {
                        self.type_of(self.names.vars[id.index()].ty, Place { var: id, path: Vec::new() })
                    }
                    _ => Type::Unknown,
                }
            }
            ExprKind::CExpr(_) => Type::Unknown,
            ExprKind::TemporalUnary(_, operand) => {
                self.condition(operand);
                Type::Bool
            }
            ExprKind::TemporalBinary(op, left, right) => {
                let equal = matches!(op, TemporalBinary::Equivalent | TemporalBinary::Implies);
                for side in [left, right] {
                    // `p -> 1` is how some write `p -> true`.
                    if !equal || constant::value(side).is_none() {
                        self.condition(side);
                    }
                }
                Type::Bool
            }
        }
    }

    /// The most messages a channel holds, as far as its declaration tells; else what a byte holds.
    fn capacity(&self, channel: &VarRef) -> i64 {
        let declared = match (channel.path.first().and_then(|s| self.names.def(&s.name)), channel.path.len()) {
            (Some(Def::Var(id)), 1) => self.names.vars.get(id.index()),
            _ => None,
        };
        match declared.map(|v| &v.init) {
            Some(Init::Chan { capacity, .. }) => i64::from(*capacity),
            _ => Range::BYTE.hi,
        }
    }

    /// An expression that is used as a truth value.
    pub(super) fn condition(&mut self, expr: &Expr) {
        let ty = self.expr(expr);
        let span = expr.at.0;
        match ty {
            Type::Mtype(_) | Type::Chan(_) | Type::Record(..) => {
                let kind = self.type_text(&ty);
                let hint = match ty {
                    Type::Mtype(_) => "compare it with a constant of its list, or with 0 when \"not set\" is meant",
                    _ => "compare it with 0 when \"not set\" is meant",
                };
                let message = format!("a condition should be a truth value or a number, not `{kind}`");
                self.said.push(warning("cond", span, message).note(hint));
            }
            Type::Number { constant: false, .. } | Type::Pid
                if !matches!(expr.kind, ExprKind::Run { .. }) && !is_bit(self, expr) =>
            {
                let kind = self.type_text(&ty);
                let message = format!("a number of type `{kind}` is used as a condition");
                self.said.push(
                    warning("numeric-guard", span, message).note("any value other than 0 counts as true; write `!= 0`"),
                );
            }
            _ => {}
        }
    }

    fn process_number(&mut self, pid: &Expr) {
        let ty = self.expr(pid);
        if let Type::Mtype(_) | Type::Chan(_) | Type::Record(..) = ty {
            let kind = self.type_text(&ty);
            self.said.push(error("assign", pid.at.0, format!("a process number is expected, not `{kind}`")));
        }
    }

    /// The node of a channel that is used as one.
    pub(super) fn channel(&mut self, reference: &VarRef) -> Option<NodeId> {
        match self.place(reference) {
            Type::Chan(node) => Some(node),
            Type::Unknown => None,
            other => {
                let kind = self.type_text(&other);
                let name = self.map.snippet(reference.at.0);
                let message = format!("`{name}` is used as a channel, but it is `{kind}`");
                self.said.push(error("chan-type", reference.at.0, message));
                None
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Type {
        use BinaryOp::*;
        match op {
            And | Or => {
                self.condition(left);
                self.condition(right);
                Type::Bool
            }
            Eq | Ne => {
                let (a, b) = (self.expr(left), self.expr(right));
                self.comparable(a, b, left, right, whole.at.0);
                Type::Bool
            }
            Lt | Le | Gt | Ge => {
                let (a, b) = (self.expr(left), self.expr(right));
                if !self.operand(&a, left.at.0, whole.at.0) {
                    self.operand(&b, right.at.0, whole.at.0);
                }
                Type::Bool
            }
            _ => {
                let (a, b) = (self.expr(left), self.expr(right));
                // Sums of truth values count how many are true, and `1 - b` is the other one: both are common and clear.
                // So is `&` on two truth values.
                let counts = matches!(op, Add | Sub);
                let logic = matches!(op, BitAnd | BitOr | BitXor) && matches!((&a, &b), (Type::Bool, Type::Bool));
                let clear = |ty: &Type| matches!(ty, Type::Bool) && (counts || logic);
                // One message for one expression.
                if !clear(&a) && self.operand(&a, left.at.0, whole.at.0)
                    || !clear(&b) && self.operand(&b, right.at.0, whole.at.0)
                {
                    return Type::Unknown;
                }
                if logic {
                    return Type::Bool;
                }
                let range = |ty: &Type| match ty {
                    Type::Number { range, .. } => Some(*range),
                    Type::Bool => Some(Range::BIT),
                    _ => None,
                };
                let (Some(x), Some(y)) = (range(&a), range(&b)) else { return Type::Unknown };
                let constant = constant::value(right);
                // Adding a negative constant is subtracting, and what is left has the type of what was there.
                let size = |r: Range, e: &Expr| match constant::value(e) {
                    Some(v) if counts => Range::of(v.abs()),
                    _ => r,
                };
                let (x, y) = (size(x, left), size(y, right));
                // Types, not values: a sum has the type of its operands, so that `x + 1` fits where `x` does. Where a
                // constant bounds the result, the bound counts.
                let range = match (op, constant) {
                    (Rem, Some(n)) if n > 0 => Range { lo: 0, hi: n - 1 },
                    (BitAnd, Some(n)) if n >= 0 => Range { lo: 0, hi: n },
                    (Rem | Div | Shr, _) => x,
                    _ => x.hull(y),
                };
                folded(whole, Type::Number { range, constant: false })
            }
        }
    }

    /// Says so when an operand of an arithmetic or relational operator is no number; whether something was said.
    pub(super) fn operand(&mut self, ty: &Type, span: Span, whole: Span) -> bool {
        if matches!(ty, Type::Number { .. } | Type::Unknown) {
            return false;
        }
        let text = self.type_text(ty);
        let said = match ty {
            Type::Mtype(_) => error("mtype-arith", whole, format!("`{text}` values are no numbers"))
                .note("their values depend on the order of declaration; compare them with `==` and `!=` only"),
            Type::Chan(_) => error("chan-type", whole, "a channel is no number".to_owned()),
            Type::Record(..) => error("assign", whole, format!("a record of type `{text}` is no number")),
            Type::Pid => error("strict-pid", whole, "arithmetic or order on process numbers".to_owned())
                .note("their values must not matter where processes are to be treated alike"),
            Type::Bool if !self.options.lax_bool => {
                warning("bool-number", whole, "a truth value is used as a number".to_owned())
            }
            _ => return false,
        };
        let snippet = self.map.snippet(span).to_owned();
        let said = if span == whole { said } else { said.also(span, format!("`{snippet}` is `{text}`")) };
        self.said.push(said);
        !matches!(ty, Type::Bool)
    }

    /// The type of a conditional expression.
    fn branches(&mut self, a: Type, b: Type, yes: Span, no: Span) -> Type {
        match (&a, &b) {
            (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
            (Type::Number { range: x, .. }, Type::Number { range: y, .. }) => {
                Type::Number { range: x.hull(*y), constant: false }
            }
            (Type::Bool, Type::Number { range, .. }) | (Type::Number { range, .. }, Type::Bool) => {
                if Range::BIT.contains(*range) { Type::Bool } else { Type::Number { range: *range, constant: false } }
            }
            (Type::Bool, Type::Bool) | (Type::Pid, Type::Pid) => a,
            (Type::Mtype(m), Type::Mtype(n)) if m == n => a,
            (Type::Chan(m), Type::Chan(n)) => {
                let (m, n) = (*m, *n);
                let reason = Reason { span: no, cause: Cause::Chosen, subject: no, object: yes };
                self.link(m, n, reason);
                a
            }
            (Type::Mtype(_) | Type::Chan(_), zero) if zero.is_zero() => a,
            (zero, Type::Mtype(_) | Type::Chan(_)) if zero.is_zero() => b,
            _ => {
                let (x, y) = (self.type_text(&a), self.type_text(&b));
                let message = format!("the two values of a conditional expression differ: `{x}` and `{y}`");
                self.said.push(warning("cond", no, message).also(yes, format!("`{x}`")));
                Type::Unknown
            }
        }
    }

    /// `run P(a, b)`
    fn run_process(&mut self, name: &crate::ast::Ident, args: &[Expr]) {
        let types: Vec<Type> = args.iter().map(|a| self.expr(a)).collect();
        let Some(Def::Body(body)) = self.names.def(name) else { return };
        let Some(declared) = self.names.bodies.get(body.index()) else { return };
        // A wrong number of arguments is an error of names, because SPIN does not take it.
        if declared.param_count as usize != args.len() {
            return;
        }
        let channels = self.parameters(body);
        for (i, (arg, ty)) in args.iter().zip(types).enumerate() {
            let Some((id, var)) = self.parameter(body, i) else { continue };
            let span = arg.at.0;
            match (channels[i], &ty) {
                (Some(param), Type::Chan(node)) => {
                    let reason = Reason { span, cause: Cause::Passed, subject: span, object: var.at.0 };
                    self.link(param, *node, reason);
                }
                _ => {
                    let target = self.type_of(var.ty, Place { var: id, path: Vec::new() });
                    self.store(&target, ty, &format!("parameter `{}`", var.name), var, arg, Cause::Passed, var.at.0);
                }
            }
        }
    }
}

/// The type of an expression whose value may be known.
fn folded(expr: &Expr, otherwise: Type) -> Type {
    match constant::value(expr) {
        Some(value) => Type::Number { range: Range::of(value), constant: true },
        None => otherwise,
    }
}

/// Whether a number can only be 0 or 1, so that it may well be a truth value.
fn is_bit(checker: &mut Checker<'_>, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ref(reference) => match reference.path.last().and_then(|s| checker.names.def(&s.name)) {
            Some(Def::Var(id)) => matches!(checker.names.vars[id.index()].ty, Ty::Bit | Ty::Unsigned(1)),
            Some(Def::Field(record, field)) => {
                let field = checker.names.records.get(record.index()).and_then(|r| r.fields.get(field as usize));
                field.is_some_and(|f| f.ty == Ty::Bit)
            }
            _ => false,
        },
        _ => false,
    }
}
