//! Names in expressions, and what may stand where.

use super::resolver::Resolver;
use super::stmts::{is_kept, read_only};
use super::{BodyId, BodyKind, Builtin, Def, MtypeId, Ty, VarId};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, RecvArg, UnaryOp};
use ferrospin_source::{Diagnostic, Span};

/// What is allowed around an expression.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// A whole record may stand here: a message field, an argument of `run` or of an inline.
    pub(super) whole: bool,
    /// The head of a `for`, where an array may stand without index.
    pub(super) header: bool,
    /// An argument of an inline: only text, which counts where the body uses it.
    pub(super) argument: bool,
    /// The variable is written.
    pub(super) target: bool,
    /// The value is not looked at, so that `_` may stand here.
    pub(super) unread: bool,
    /// The expression may be a `run`.
    pub(super) run: bool,
    /// The statement is one that a `d_step` checks for references to other processes.
    pub(super) checked: bool,
    /// A formula: temporal operators may stand here.
    pub(super) formula: bool,
}

impl Place {
    pub(super) const READ: Place = Place {
        whole: false,
        header: false,
        argument: false,
        target: false,
        unread: false,
        run: false,
        checked: false,
        formula: false,
    };
    pub(super) const WHOLE: Place = Place { whole: true, ..Place::READ };
    pub(super) const TRACED: Place = Place { whole: true, unread: true, ..Place::READ };
    pub(super) const HEADER: Place = Place { header: true, ..Place::READ };
    pub(super) const ARGUMENT: Place = Place { whole: true, argument: true, ..Place::READ };
    pub(super) const TARGET: Place = Place { target: true, ..Place::READ };
    pub(super) const RUN: Place = Place { run: true, checked: true, ..Place::READ };
    pub(super) const VALUE: Place = Place { run: true, ..Place::READ };
    pub(super) const CHECKED: Place = Place { checked: true, ..Place::READ };
    pub(super) const FORMULA: Place = Place { formula: true, ..Place::READ };

    /// The place of an operand or of an index.
    pub(super) fn inner(self) -> Place {
        Place { whole: self.argument, target: false, run: false, formula: false, ..self }
    }

    /// The place of an operand that may be a formula, where the whole may.
    fn part(self) -> Place {
        Place { formula: self.formula, ..self.inner() }
    }
}

/// What a reference leads to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Var(VarId, Ty),
    /// An `mtype` constant.
    Const,
    Builtin(Builtin),
}

/// How an argument of `run` looks to SPIN's check of `mtype` parameters.
#[derive(Clone)]
pub(super) enum Argument {
    /// A number or an expression.
    Value,
    /// An `mtype` constant.
    Constant(MtypeId, Span),
    /// A variable or whatever else has a name.
    Named(Span),
}

/// A `run` to be compared with its process type at the end.
pub(super) struct RunCall {
    pub(super) callee: BodyId,
    pub(super) at: Span,
    /// The arguments, each with the number of places it takes.
    pub(super) args: Vec<(Argument, u32)>,
}

impl Resolver<'_> {
    pub(super) fn expr(&mut self, e: &Expr, place: Place) {
        let inner = place.inner();
        match &e.kind {
            ExprKind::Const(..) | ExprKind::Timeout | ExprKind::CExpr(_) => {}
            ExprKind::Ref(r) => {
                self.var_ref(r, place);
            }
            ExprKind::Unary(UnaryOp::Not, a) => self.expr(a, place.part()),
            ExprKind::Unary(_, a) => self.expr(a, inner),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.expr(a, place.part());
                self.expr(b, place.part());
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a, inner);
                self.expr(b, inner);
            }
            ExprKind::Cond(c, a, b) => {
                self.expr(c, inner);
                self.expr(a, inner);
                self.expr(b, inner);
            }
            ExprKind::Run { name, args, priority } => {
                self.run_expr(e, name, args, place);
                if let Some(p) = priority {
                    self.priority(p, 0..=255);
                }
            }
            ExprKind::Len(c) => {
                self.var_ref(c, inner);
            }
            ExprKind::Probe(_, c) => {
                self.var_ref(c, inner);
            }
            ExprKind::Poll { channel, args, .. } => {
                self.var_ref(channel, inner);
                for a in args {
                    self.recv_arg(a, false);
                }
            }
            ExprKind::Enabled(a) => {
                self.facts.enabled.get_or_insert(e.at.0);
                self.expr(a, inner);
            }
            ExprKind::PcValue(a) => self.expr(a, inner),
            ExprKind::GetPriority(a) => {
                self.facts.priority.get_or_insert(e.at.0);
                self.expr(a, inner);
            }
            ExprKind::NonProgress => self.non_progress(e.at.0),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                if let Some(pid) = pid {
                    self.expr(pid, inner);
                }
                self.remote_label(proctype, label);
                self.remote_in_d_step(e.at.0, true, place);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                if let Some(pid) = pid {
                    self.expr(pid, inner);
                }
                self.remote_var(proctype, var, inner);
                self.remote_in_d_step(e.at.0, false, place);
            }
            ExprKind::TemporalUnary(_, a) => {
                self.temporal(e, place);
                self.expr(a, Place { formula: true, ..inner });
            }
            ExprKind::TemporalBinary(_, a, b) => {
                self.temporal(e, place);
                self.expr(a, Place { formula: true, ..inner });
                self.expr(b, Place { formula: true, ..inner });
            }
        }
    }

    /// Nothing can be computed with a formula.
    fn temporal(&mut self, e: &Expr, place: Place) {
        if !place.formula {
            self.error(
                Diagnostic::error("formula-operand", e.at.0, "a formula has no value that could be computed with")
                    .label("a formula")
                    .note("formulas are joined by `&&`, `||`, `->`, `<->`, `U`, `W` and `V`"),
            );
        }
    }

    /// `np_` has a meaning only where the whole system is looked at.
    fn non_progress(&mut self, at: Span) {
        if self.open.as_ref().is_some_and(|b| b.kind != BodyKind::Never) {
            self.error(
                Diagnostic::error("np-outside-claim", at, "`np_` may stand only in a never claim or an `ltl` formula")
                    .label("not in a claim"),
            );
        }
    }

    /// Resolves one field of a receive or poll; only a receive fills its variables.
    pub(super) fn recv_arg(&mut self, a: &RecvArg, fills: bool) {
        match a {
            RecvArg::Ref(r) => {
                // `_`, a variable to fill, or a constant to match.
                let constant = r.path.len() == 1
                    && r.path[0].index.is_none()
                    && matches!(self.lookup(&r.path[0].name.name), Some(Def::MtypeConst(..)));
                let target = self.var_ref(r, Place { whole: true, target: !constant, ..Place::READ });
                if fills && is_kept(target) {
                    let name = &r.path[0].name.name;
                    self.error(read_only(r).note(format!("`eval({name})` takes only messages that hold its value")));
                }
            }
            RecvArg::Eval(e) | RecvArg::Const(e) => self.expr(e, Place::READ),
        }
    }

    fn run_expr(&mut self, e: &Expr, name: &Ident, args: &[Expr], place: Place) {
        let inner = place.inner();
        if self.open.is_some() && !place.run && !place.argument {
            self.error(
                Diagnostic::error("run-place", e.at.0, "`run` cannot be part of a larger expression")
                    .label("not alone")
                    .note("`run P()` is a statement, or the whole right side of an assignment: `p = run P()`"),
            );
        }
        if self.in_d_step().is_some() && !place.argument {
            self.error(
                Diagnostic::error("d-step-run", e.at.0, "`run` cannot stand in a `d_step`")
                    .label("starts a process")
                    .note("use `atomic`"),
            );
        }
        let mut list = Vec::new();
        for a in args {
            self.expr(a, Place { whole: true, ..inner });
            list.push(self.argument(a));
        }
        match self.proctypes.get(&name.name) {
            Some(&callee) => {
                self.define(name, Def::Body(callee));
                if !inner.argument {
                    self.runs.push(RunCall { callee, at: name.at.0, args: list });
                }
            }
            None => {
                let mut d = Diagnostic::error(
                    "unknown-proctype",
                    name.at.0,
                    format!("there is no process type `{}`", name.name),
                )
                .label("not defined");
                if let Some(best) = super::suggest(&name.name, self.proctypes.keys().map(|n| &**n)) {
                    d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
                }
                self.error(d);
            }
        }
    }

    /// Classifies an argument; a structure takes as many places as it has fields.
    fn argument(&self, a: &Expr) -> (Argument, u32) {
        let argument = match &a.kind {
            ExprKind::Ref(r) => match self.names.def(&r.path[0].name) {
                Some(Def::MtypeConst(m, _)) => Argument::Constant(m, a.at.0),
                Some(Def::Var(v)) => {
                    let places = self.ref_type(v, r).map_or(1, |ty| self.spread(ty));
                    return (Argument::Named(a.at.0), places);
                }
                _ => Argument::Named(a.at.0),
            },
            ExprKind::Len(_)
            | ExprKind::Probe(..)
            | ExprKind::Poll { .. }
            | ExprKind::Run { .. }
            | ExprKind::CExpr(_)
            | ExprKind::RemoteVar { .. } => Argument::Named(a.at.0),
            _ => Argument::Value,
        };
        (argument, 1)
    }
}
