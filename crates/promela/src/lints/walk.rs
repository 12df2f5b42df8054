//! A walk over statements and expressions in the order of execution, telling how each variable is used.

use crate::ast::{Expr, ExprKind, Initializer, RecvArg, Sequence, Shape, Stmt, StmtKind, Unit, VarDecl, VarRef};

/// How a variable is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Its value is read.
    Read,
    /// It gets a value.
    Write,
    /// It is counted up or down.
    Count,
    /// It is filled by a receive, or must equal what is received: names tell.
    Receive,
    /// Something is sent over it, received from it or asked of it.
    Channel,
    /// It is named without being used, as in `xr c` or as an argument of an inline, whose body is walked anyway.
    Mention,
}

/// What is done on the way; all does nothing unless said otherwise.
pub(crate) trait Visitor {
    /// Before a statement.
    fn enter(&mut self, _stmt: &Stmt) {}
    /// After a statement.
    fn leave(&mut self, _stmt: &Stmt) {}
    /// Before an expression.
    fn expr(&mut self, _expr: &Expr) {}
    /// A variable, before its indices.
    fn reference(&mut self, _reference: &VarRef, _access: Access) {}
    /// A declaration, before its initialisers.
    fn decl(&mut self, _decl: &VarDecl) {}
}

/// Walks a unit.
pub(crate) fn unit(unit: &Unit, v: &mut dyn Visitor) {
    match unit {
        Unit::Decl(d) => decl(d, v),
        Unit::Typedef(t) => t.fields.iter().for_each(|d| decl(d, v)),
        Unit::Proctype(p) => {
            if let Some(count) = p.active.as_ref().and_then(|a| a.count.as_ref()) {
                expr(count, v);
            }
            p.params.iter().for_each(|d| decl(d, v));
            if let Some(priority) = &p.priority {
                expr(&priority.value, v);
            }
            if let Some(provided) = &p.provided {
                expr(provided, v);
            }
            sequence(&p.body, v);
        }
        Unit::Init(i) => {
            if let Some(priority) = &i.priority {
                expr(&priority.value, v);
            }
            sequence(&i.body, v);
        }
        Unit::Never(n) => sequence(&n.body, v),
        Unit::Trace(t) => sequence(&t.body, v),
        Unit::Ltl(l) => expr(&l.formula, v),
        Unit::Mtype(_) | Unit::Inline(_) | Unit::CCode(_) | Unit::CDecl(_) | Unit::CState(_) | Unit::CTrack(_) => {}
    }
}

/// Calls `f` with every expression of a unit.
pub(crate) fn unit_exprs(of: &Unit, f: &mut dyn FnMut(&Expr)) {
    struct Exprs<'a>(&'a mut dyn FnMut(&Expr));
    impl Visitor for Exprs<'_> {
        fn expr(&mut self, expr: &Expr) {
            (self.0)(expr);
        }
    }
    unit(of, &mut Exprs(f));
}

/// Walks the statements of a sequence.
pub(crate) fn sequence(sequence: &Sequence, v: &mut dyn Visitor) {
    for s in &sequence.steps {
        stmt(s, v);
    }
}

fn decl(decl: &VarDecl, v: &mut dyn Visitor) {
    v.decl(decl);
    for var in &decl.vars {
        if let Shape::Array(size) = &var.shape {
            expr(size, v);
        }
        match &var.init {
            Some(Initializer::Expr(e)) => expr(e, v),
            Some(Initializer::List(list, _)) => list.iter().for_each(|e| expr(e, v)),
            Some(Initializer::Chan(c)) => expr(&c.capacity, v),
            None => {}
        }
    }
}

/// Walks a statement.
pub(crate) fn stmt(s: &Stmt, v: &mut dyn Visitor) {
    v.enter(s);
    match &s.kind {
        StmtKind::Decl(d) => decl(d, v),
        StmtKind::Exclusive { channels, .. } => channels.iter().for_each(|c| reference(c, Access::Mention, v)),
        StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => expr(e, v),
        StmtKind::Assign(target, value) | StmtKind::Return { target, value } => {
            expr(value, v);
            reference(target, Access::Write, v);
        }
        StmtKind::Increment(var) | StmtKind::Decrement(var) => reference(var, Access::Count, v),
        StmtKind::Send { channel, args, .. } => {
            reference(channel, Access::Channel, v);
            args.iter().for_each(|e| expr(e, v));
        }
        StmtKind::Receive { channel, args, .. } => {
            reference(channel, Access::Channel, v);
            args.iter().for_each(|a| pattern(a, Access::Receive, v));
        }
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| sequence(o, v)),
        StmtKind::ForRange { var, from, to, body } => {
            expr(from, v);
            reference(var, Access::Write, v);
            reference(var, Access::Read, v);
            expr(to, v);
            sequence(body, v);
        }
        StmtKind::ForIn { var, container, body } => {
            reference(container, Access::Channel, v);
            reference(var, Access::Write, v);
            reference(var, Access::Read, v);
            sequence(body, v);
        }
        StmtKind::Select { var, from, to, .. } => {
            expr(from, v);
            expr(to, v);
            reference(var, Access::Write, v);
        }
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => sequence(body, v),
        StmtKind::Unless(body, escape) => {
            stmt(body, v);
            stmt(escape, v);
        }
        StmtKind::Printf { args, .. } => args.iter().for_each(|e| expr(e, v)),
        StmtKind::SetPriority(pid, priority) => {
            expr(pid, v);
            expr(priority, v);
        }
        StmtKind::InlineCall { args, body, .. } => {
            args.iter().for_each(|a| mention(a, v));
            stmt(body, v);
        }
        StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else | StmtKind::CCode(_) => {}
    }
    v.leave(s);
}

/// The variables of an argument of an inline; expressions in it are seen where the body uses them.
fn mention(e: &Expr, v: &mut dyn Visitor) {
    struct Mentions<'a>(&'a mut dyn Visitor);
    impl Visitor for Mentions<'_> {
        fn reference(&mut self, reference: &VarRef, _: Access) {
            self.0.reference(reference, Access::Mention);
        }
    }
    expr(e, &mut Mentions(v));
}

fn pattern(arg: &RecvArg, access: Access, v: &mut dyn Visitor) {
    match arg {
        RecvArg::Ref(r) => reference(r, access, v),
        RecvArg::Eval(e) | RecvArg::Const(e) => expr(e, v),
    }
}

fn reference(r: &VarRef, access: Access, v: &mut dyn Visitor) {
    v.reference(r, access);
    for segment in &r.path {
        if let Some(index) = &segment.index {
            expr(index, v);
        }
    }
}

/// Walks an expression.
pub(crate) fn expr(e: &Expr, v: &mut dyn Visitor) {
    v.expr(e);
    match &e.kind {
        ExprKind::Ref(r) => reference(r, Access::Read, v),
        ExprKind::Unary(_, x)
        | ExprKind::Enabled(x)
        | ExprKind::PcValue(x)
        | ExprKind::GetPriority(x)
        | ExprKind::TemporalUnary(_, x) => expr(x, v),
        ExprKind::Binary(_, x, y) | ExprKind::TemporalBinary(_, x, y) => {
            expr(x, v);
            expr(y, v);
        }
        ExprKind::Cond(c, x, y) => {
            expr(c, v);
            expr(x, v);
            expr(y, v);
        }
        ExprKind::Run { args, priority, .. } => {
            args.iter().for_each(|a| expr(a, v));
            if let Some(priority) = priority {
                expr(&priority.value, v);
            }
        }
        ExprKind::Len(c) | ExprKind::Probe(_, c) => reference(c, Access::Channel, v),
        ExprKind::Poll { channel, args, .. } => {
            reference(channel, Access::Channel, v);
            // A poll fills nothing.
            args.iter().for_each(|a| pattern(a, Access::Mention, v));
        }
        ExprKind::RemoteLabel { pid, .. } => {
            if let Some(pid) = pid {
                expr(pid, v);
            }
        }
        ExprKind::RemoteVar { pid, var, .. } => {
            if let Some(pid) = pid {
                expr(pid, v);
            }
            if let Some(index) = &var.index {
                expr(index, v);
            }
        }
        ExprKind::Const(..) | ExprKind::Timeout | ExprKind::NonProgress | ExprKind::CExpr(_) => {}
    }
}
