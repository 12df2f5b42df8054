//! Constraints of declarations and statements.

use super::graph::Cause;
use super::infer::{Checker, Place, Type};
use crate::ast::{Declarator, Expr, Initializer, RecvArg, Sequence, Stmt, StmtKind, Unit, VarDecl, VarRef};
use crate::lints::error;
use crate::names::{Def, Var};

impl<'a> Checker<'a> {
    /// All constraints of a unit with statements or a formula; declarations of globals come first of all.
    pub(super) fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(p) => {
                if let Some(count) = p.active.as_ref().and_then(|a| a.count.as_ref()) {
                    self.expr(count);
                }
                if let Some(provided) = &p.provided {
                    self.condition(provided);
                }
                self.sequence(&p.body);
            }
            Unit::Init(init) => self.sequence(&init.body),
            Unit::Never(never) => self.sequence(&never.body),
            Unit::Trace(trace) => self.sequence(&trace.body),
            Unit::Ltl(ltl) => self.condition(&ltl.formula),
            Unit::Decl(_)
            | Unit::Mtype(_)
            | Unit::Typedef(_)
            | Unit::Inline(_)
            | Unit::CCode(_)
            | Unit::CDecl(_)
            | Unit::CState(_)
            | Unit::CTrack(_) => {}
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        for stmt in &sequence.steps {
            self.stmt(stmt);
        }
    }

    /// Initialisers of a declaration.
    pub(super) fn declaration(&mut self, decl: &VarDecl) {
        for declarator in &decl.vars {
            self.initializer(declarator);
        }
    }

    fn initializer(&mut self, declarator: &Declarator) {
        let Some(Def::Var(id)) = self.names.def(&declarator.name) else { return };
        let Some(var) = self.names.vars.get(id.index()) else { return };
        let target = self.type_of(var.ty, Place { var: id, path: Vec::new() });
        let values: &[Expr] = match &declarator.init {
            Some(Initializer::Expr(value)) => std::slice::from_ref(value),
            Some(Initializer::List(values, _)) => values,
            Some(Initializer::Chan(_)) | None => &[],
        };
        for value in values {
            let ty = self.expr(value);
            let what = format!("`{}`", var.name);
            self.store(&target, ty, &what, var, value, Cause::Assigned, declarator.name.at.0);
        }
    }

    /// The declaration behind a reference.
    pub(super) fn declared(&self, reference: &VarRef) -> Option<&'a Var> {
        let names = self.names;
        let last = reference.path.last()?;
        match names.def(&last.name)? {
            Def::Var(id) => names.vars.get(id.index()),
            Def::Field(record, field) => names.records.get(record.index())?.fields.get(field as usize),
            _ => None,
        }
    }

    fn assign(&mut self, target: &VarRef, value: &Expr) {
        let given = self.expr(value);
        let wanted = self.place(target);
        // What is no variable was reported where names were resolved.
        let Some(declared) = self.declared(target) else { return };
        let what = format!("`{}`", self.map.snippet(target.at.0));
        self.store(&wanted, given, &what, declared, value, Cause::Assigned, target.at.0);
    }

    /// A variable that counts.
    fn counter(&mut self, var: &VarRef, bounds: &[&Expr]) {
        let ty = self.place(var);
        // `select (b : 0 .. 1)` is how a truth value is chosen.
        if !matches!(ty, Type::Bool) {
            self.operand(&ty, var.at.0, var.at.0);
        }
        for bound in bounds {
            let ty = self.expr(bound);
            self.operand(&ty, bound.at.0, bound.at.0);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.declaration(decl),
            StmtKind::Exclusive { channels, .. } => {
                for channel in channels {
                    self.channel(channel);
                }
            }
            StmtKind::Expr(expr) => self.condition(expr),
            StmtKind::Assert(expr) => self.condition(expr),
            StmtKind::Assign(target, value) | StmtKind::Return { target, value } => self.assign(target, value),
            StmtKind::Increment(var) | StmtKind::Decrement(var) => {
                let ty = self.place(var);
                self.operand(&ty, var.at.0, stmt.at.0);
            }
            StmtKind::Send { channel, args, .. } => self.send(channel, args, stmt.at.0),
            StmtKind::Receive { channel, args, .. } => self.receive(channel, args, stmt.at.0),
            StmtKind::If(options) | StmtKind::Do(options) => {
                for option in options {
                    self.sequence(option);
                }
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.counter(var, &[from, to]);
                self.sequence(body);
            }
            StmtKind::ForIn { var, container, body } => {
                self.for_in(stmt, var, container);
                self.sequence(body);
            }
            StmtKind::Select { var, from, to, .. } => self.counter(var, &[from, to]),
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => self.sequence(body),
            StmtKind::Unless(body, escape) => {
                self.stmt(body);
                self.stmt(escape);
            }
            StmtKind::Printf { format, args } => self.printf(format, args, stmt.at.0),
            StmtKind::Printm(value) => {
                let ty = self.expr(value);
                self.printm(&ty, value.at.0);
            }
            StmtKind::SetPriority(pid, priority) => {
                self.expr(pid);
                self.expr(priority);
            }
            StmtKind::InlineCall { body, .. } => self.stmt(body),
            StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else | StmtKind::CCode(_) => {}
        }
    }

    /// `for (x in a)`: an index of an array, or each message of a channel.
    fn for_in(&mut self, stmt: &Stmt, var: &VarRef, container: &VarRef) {
        let is_array = self.declared(container).is_some_and(|v| v.array.is_some())
            && container.path.last().is_some_and(|s| s.index.is_none());
        if is_array {
            self.place(container);
            return self.counter(var, &[]);
        }
        match self.place(container) {
            Type::Chan(_) => {
                let arg = RecvArg::Ref(var.clone());
                self.receive(container, std::slice::from_ref(&arg), stmt.at.0);
            }
            Type::Unknown => {
                self.place(var);
            }
            other => {
                let kind = self.type_text(&other);
                let name = self.map.snippet(container.at.0);
                let message = format!("`for` runs over an array or a channel, but `{name}` is `{kind}`");
                self.said.push(error("chan-type", container.at.0, message));
            }
        }
    }
}
