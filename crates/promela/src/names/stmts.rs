//! Names in statements.

use super::decls::Site;
use super::exprs::Place;
use super::resolver::{Extra, Resolver};
use super::{Ty, VarId};
use crate::ast::{Expr, ExprKind, Sequence, Stmt, StmtKind, VarRef};
use ferrospin_source::{Diagnostic, Span};
use std::sync::Arc;

/// The first `run` in an expression.
pub(super) fn find_run(e: &Expr) -> Option<Span> {
    match &e.kind {
        ExprKind::Run { .. } => Some(e.at.0),
        ExprKind::Unary(_, a) | ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => find_run(a),
        ExprKind::Binary(_, a, b) => find_run(a).or_else(|| find_run(b)),
        ExprKind::Cond(c, a, b) => find_run(c).or_else(|| find_run(a)).or_else(|| find_run(b)),
        _ => None,
    }
}

impl Resolver<'_> {
    /// Visits the statements of a sequence; the caller opens the block if there is one.
    pub(super) fn sequence(&mut self, s: &Sequence) {
        for step in &s.steps {
            self.stmt(step);
        }
    }

    fn block(&mut self, s: &Sequence) {
        let Some(outer) = self.open.as_mut().map(|o| o.enter()) else { return };
        self.sequence(s);
        if let Some(o) = &mut self.open {
            o.leave(outer);
        }
    }

    fn loop_body(&mut self, body: impl FnOnce(&mut Self)) {
        if let Some(o) = &mut self.open {
            o.loops += 1;
        }
        body(self);
        if let Some(o) = &mut self.open {
            o.loops -= 1;
        }
    }

    pub(super) fn stmt(&mut self, s: &Stmt) {
        if !matches!(s.kind, StmtKind::Decl(_) | StmtKind::Exclusive { .. })
            && let Some(o) = &mut self.open
        {
            o.at_head = false;
        }
        self.mark(&s.labels, s);
        match &s.kind {
            StmtKind::Decl(d) => self.declare(d, Site::Local),
            StmtKind::Exclusive { end: _, channels } => {
                self.facts.exclusive.get_or_insert(s.at.0);
                for c in channels {
                    self.var_ref(c, Place::READ);
                }
            }
            StmtKind::Empty | StmtKind::Else => {}
            StmtKind::Expr(e) => self.expr(e, Place::READ),
            StmtKind::Assign(target, e) => {
                self.var_ref(target, Place::TARGET);
                self.expr(e, Place::READ);
            }
            StmtKind::Increment(v) | StmtKind::Decrement(v) => {
                self.var_ref(v, Place::READ);
            }
            StmtKind::Send { channel, args, .. } => {
                self.var_ref(channel, Place::READ);
                for a in args {
                    self.expr(a, Place::WHOLE);
                }
            }
            StmtKind::Receive { channel, args, .. } => {
                self.var_ref(channel, Place::READ);
                for a in args {
                    self.recv_arg(a);
                }
            }
            StmtKind::If(options) => options.iter().for_each(|o| self.sequence(o)),
            StmtKind::Do(options) => self.loop_body(|r| options.iter().for_each(|o| r.sequence(o))),
            StmtKind::ForRange { var, from, to, body } => {
                self.var_ref(var, Place::HEADER);
                self.expr(from, Place::HEADER);
                self.expr(to, Place::HEADER);
                self.loop_body(|r| r.block(body));
            }
            StmtKind::ForIn { var, container, body } => {
                self.var_ref(var, Place::HEADER);
                self.var_ref(container, Place::HEADER);
                self.loop_body(|r| r.block(body));
            }
            StmtKind::Select { var, from, to, .. } => {
                self.var_ref(var, Place::TARGET);
                self.expr(from, Place::READ);
                self.expr(to, Place::READ);
            }
            StmtKind::Atomic(b) | StmtKind::DStep(b) | StmtKind::Block(b) => self.block(b),
            StmtKind::Unless(body, escape) => {
                self.stmt(body);
                self.stmt(escape);
            }
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Break => {}
            StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr(e, Place::READ),
            StmtKind::Printf { args, .. } => args.iter().for_each(|a| self.expr(a, Place::READ)),
            StmtKind::SetPriority(p, n) => {
                self.facts.priority.get_or_insert(s.at.0);
                self.expr(p, Place::READ);
                self.expr(n, Place::READ);
            }
            StmtKind::CCode(_) => {}
            StmtKind::InlineCall { name, args, target, body, .. } => {
                self.define(name, super::Def::Inline);
                for a in args {
                    self.expr(a, Place::ARGUMENT);
                }
                if let Some(t) = target {
                    self.var_ref(t, Place::TARGET);
                }
                self.stmt(body);
            }
            StmtKind::Return { target, value } => {
                self.var_ref(target, Place::TARGET);
                self.expr(value, Place::READ);
            }
        }
    }

    /// What may be assigned to what.
    pub(super) fn check_assigned(
        &mut self,
        _name: &Arc<str>,
        _at: Span,
        _var: Option<VarId>,
        _ty: Option<Ty>,
        _e: &Expr,
        _extra: &mut Extra,
    ) {
    }

    /// What a `provided` clause may depend on.
    pub(super) fn provided(&mut self, _e: &Expr) {}

    #[allow(dead_code)]
    fn unused(&self, _: &VarRef, _: Diagnostic) {}
}
