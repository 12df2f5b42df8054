//! Names in statements, and where each kind of statement may stand.

use super::decls::Site;
use super::exprs::{Place, Target};
use super::resolver::Resolver;
use super::{BodyKind, Builtin, Def, Ty};
use crate::ast::{Expr, ExprKind, Sequence, Stmt, StmtKind, VarRef};
use ferrospin_source::Diagnostic;

/// Whether a reference means a variable that the system keeps.
pub(super) fn is_kept(target: Option<Target>) -> bool {
    matches!(target, Some(Target::Builtin(b)) if !matches!(b, Builtin::Underscore | Builtin::Priority))
}

/// An attempt to change such a variable.
pub(super) fn read_only(r: &VarRef) -> Diagnostic {
    let name = &r.path[0].name.name;
    Diagnostic::error("read-only", r.at.0, format!("`{name}` cannot be changed")).label("read-only")
}

impl Resolver<'_> {
    /// Visits the statements of a sequence; the caller opens the block if there is one.
    pub(super) fn sequence(&mut self, s: &Sequence) {
        for step in &s.steps {
            self.stmt(step);
        }
    }

    /// A sequence in braces.
    fn block(&mut self, s: &Sequence) {
        let Some(outer) = self.open.as_mut().map(|o| o.enter()) else { return };
        self.sequence(s);
        if let Some(o) = &mut self.open {
            o.leave(outer);
        }
    }

    pub(super) fn stmt(&mut self, s: &Stmt) {
        self.stmt_in(s, false);
    }

    /// Visits a statement; `kept` says that a labelled loop keeps its `break` target for the escape behind it.
    fn stmt_in(&mut self, s: &Stmt, kept: bool) {
        if !matches!(s.kind, StmtKind::Decl(_) | StmtKind::Exclusive { .. })
            && let Some(o) = &mut self.open
        {
            o.at_head = false;
        }
        let symbols = self.label_symbols(&s.labels);
        self.allowed(s);
        self.stmt_kind(s, kept);
        // SPIN enters a label when its statement is complete.
        self.mark(&s.labels, &symbols, s);
    }

    fn stmt_kind(&mut self, s: &Stmt, kept: bool) {
        match &s.kind {
            StmtKind::Decl(d) => self.declare(d, Site::Local),
            StmtKind::Exclusive { end, channels } => self.exclusive(s.at.0, *end, channels),
            StmtKind::Empty | StmtKind::Else | StmtKind::CCode(_) => {}
            StmtKind::Expr(e) => self.condition(e, Place::RUN),
            StmtKind::Assign(target, e) => {
                let target_def = self.var_ref(target, Place::TARGET);
                self.expr(e, Place::VALUE);
                self.assignable(target, target_def);
                self.assigned(target, target_def, e);
            }
            StmtKind::Increment(v) | StmtKind::Decrement(v) => self.increment(v),
            StmtKind::Send { channel, args, .. } => self.send(s, channel, args),
            StmtKind::Receive { channel, args, .. } => {
                self.channel(channel);
                for a in args {
                    self.recv_arg(a, true);
                }
                self.receive_twice(args);
            }
            StmtKind::If(options) => {
                options.iter().for_each(|o| self.sequence(o));
                self.elses(options);
            }
            StmtKind::Do(options) => {
                self.open_loop();
                options.iter().for_each(|o| self.sequence(o));
                self.elses(options);
                self.close_loop(kept);
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.open_loop();
                let target = self.var_ref(var, Place::HEADER);
                self.expr(from, Place::HEADER);
                self.expr(to, Place::HEADER);
                self.counter(var, target, from, to, "for");
                self.block(body);
                self.close_loop(kept);
            }
            StmtKind::ForIn { var, container, body } => {
                self.open_loop();
                self.for_in(var, container);
                self.block(body);
                self.close_loop(kept);
            }
            StmtKind::Select { var, from, to, options } => self.select(var, from, to, *options),
            StmtKind::Atomic(b) => {
                self.opening(b, "atomic");
                self.block(b);
            }
            StmtKind::DStep(b) => {
                self.opening(b, "d_step");
                self.d_step(s, |r| r.block(b));
            }
            StmtKind::Block(b) => {
                self.opening(b, "block");
                self.block(b);
            }
            StmtKind::Unless(body, escape) => {
                self.unless(body, escape);
                self.stmt_in(body, !body.labels.is_empty());
                self.stmt(escape);
                self.drop_kept_loop();
            }
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Break => self.break_(s.at.0),
            StmtKind::Assert(e) => self.expr(e, Place::CHECKED),
            StmtKind::Printm(e) => self.printm(e),
            StmtKind::Printf { args, .. } => args.iter().for_each(|a| self.expr(a, Place::CHECKED)),
            StmtKind::SetPriority(p, n) => {
                self.facts.priority.get_or_insert(s.at.0);
                self.expr(p, Place::READ);
                self.expr(n, Place::READ);
            }
            StmtKind::InlineCall { name, args, target, body, .. } => {
                self.define(name, Def::Inline);
                for a in args {
                    self.expr(a, Place::ARGUMENT);
                }
                if let Some(t) = target {
                    self.var_ref(t, Place::TARGET);
                }
                let around = self.enter_inline(Some(name.name.clone()));
                self.stmt(body);
                self.enter_inline(around);
            }
            StmtKind::Return { target, value } => {
                let target_def = self.var_ref(target, Place::TARGET);
                self.expr(value, Place::VALUE);
                self.assignable(target, target_def);
            }
        }
    }

    /// A claim looks on: it changes nothing that others see.
    fn allowed(&mut self, s: &Stmt) {
        if self.open.as_ref().is_some_and(|o| o.kind == BodyKind::Never)
            && matches!(s.kind, StmtKind::Send { .. } | StmtKind::Receive { .. })
        {
            self.error(
                Diagnostic::error("claim-io", s.at.0, "a never claim cannot send or receive")
                    .label("changes a channel")
                    .note("use a poll, such as `c?[x]`, to look at a channel"),
            );
        }
    }

    fn increment(&mut self, v: &VarRef) {
        let target = self.var_ref(v, Place::READ);
        self.assignable(v, target);
        self.self_index(v);
        if let Some(Target::Var(base, _)) = target
            && self.var(base).ty == Ty::Chan
        {
            self.error(
                Diagnostic::error("channel-arithmetic", v.at.0, "a channel cannot be counted up or down")
                    .label("a channel")
                    .also(self.var(base).at.0, "declared here"),
            );
        }
    }

    /// Predefined variables that the system keeps cannot be set.
    pub(super) fn assignable(&mut self, r: &VarRef, target: Option<Target>) {
        if is_kept(target) {
            self.error(read_only(r));
        }
    }

    fn printm(&mut self, e: &Expr) {
        self.expr(e, Place::READ);
        if let ExprKind::Const(..) = e.kind {
            self.error(
                Diagnostic::error("printm", e.at.0, "`printm` prints the name of an `mtype` value, not a number")
                    .label("a number")
                    .note("use `printf(\"%d\", ...)`"),
            );
        }
    }
}
