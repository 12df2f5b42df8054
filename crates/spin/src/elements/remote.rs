//! Labels that remote references name: a jump in front of which such a label stands gets a `skip`.

use ferrospin_promela::ast::{Expr, ExprKind, Program, RecvArg, Sequence, Stmt, StmtKind, Unit};
use ferrospin_promela::names::{Def, LabelId, Names};
use std::collections::HashSet;

/// The labels that remote references of a model name.
pub(super) fn labels(program: &Program, names: &Names) -> HashSet<LabelId> {
    let mut found = Found { names, labels: HashSet::new() };
    for unit in &program.units {
        match unit {
            Unit::Proctype(p) => {
                p.provided.iter().for_each(|e| found.expr(e));
                found.sequence(&p.body);
            }
            Unit::Init(p) => found.sequence(&p.body),
            Unit::Never(p) => found.sequence(&p.body),
            Unit::Trace(p) => found.sequence(&p.body),
            Unit::Ltl(l) => found.expr(&l.formula),
            _ => {}
        }
    }
    found.labels
}

struct Found<'a> {
    names: &'a Names,
    labels: HashSet<LabelId>,
}

impl Found<'_> {
    fn sequence(&mut self, s: &Sequence) {
        s.steps.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Expr(e) | StmtKind::Assign(_, e) | StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr(e),
            StmtKind::Return { value, .. } => self.expr(value),
            StmtKind::Send { args, .. } | StmtKind::Printf { args, .. } => args.iter().for_each(|e| self.expr(e)),
            StmtKind::Receive { args, .. } => self.patterns(args),
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| self.sequence(o)),
            StmtKind::ForRange { from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.sequence(body);
            }
            StmtKind::ForIn { body, .. } => self.sequence(body),
            StmtKind::Select { from, to, .. } | StmtKind::SetPriority(from, to) => {
                self.expr(from);
                self.expr(to);
            }
            StmtKind::Atomic(q) | StmtKind::DStep(q) | StmtKind::Block(q) => self.sequence(q),
            StmtKind::Unless(a, b) => {
                self.statement(a);
                self.statement(b);
            }
            StmtKind::InlineCall { body, .. } => self.statement(body),
            StmtKind::Decl(d) => {
                for v in &d.vars {
                    if let Some(ferrospin_promela::ast::Initializer::Expr(e)) = &v.init {
                        self.expr(e);
                    }
                }
            }
            _ => {}
        }
    }

    fn patterns(&mut self, args: &[RecvArg]) {
        for a in args {
            match a {
                RecvArg::Eval(e) | RecvArg::Const(e) => self.expr(e),
                RecvArg::Ref(_) => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::RemoteLabel { pid, label, .. } => {
                if let Some(Def::Label(id)) = self.names.def(label) {
                    self.labels.insert(id);
                }
                pid.iter().for_each(|p| self.expr(p));
            }
            ExprKind::Unary(_, a) | ExprKind::TemporalUnary(_, a) => self.expr(a),
            ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => self.expr(a),
            ExprKind::Binary(_, a, b) | ExprKind::TemporalBinary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Run { args, .. } => args.iter().for_each(|e| self.expr(e)),
            ExprKind::Poll { args, .. } => self.patterns(args),
            ExprKind::RemoteVar { pid, .. } => pid.iter().for_each(|p| self.expr(p)),
            _ => {}
        }
    }
}
