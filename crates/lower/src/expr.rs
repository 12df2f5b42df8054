//! Expressions and simple statements.

use crate::Lowering;
use crate::elements::Kind;
use crate::mutant::Guard;
use crate::target::Target;
use ferrospin_model::ir::{Action, Binary, ChannelTest, Expr, LocationId, Pattern, Place, Receive, Unary};
use ferrospin_promela::ast::{self, ExprKind, RecvArg, StmtKind};
use ferrospin_promela::embedded;
use ferrospin_promela::names::{Builtin, Def, Ty};
use std::sync::Arc;

impl Lowering<'_> {
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        match &e.kind {
            ExprKind::Const(v, _) => Expr::Const(*v),
            ExprKind::Ref(r) => self.load(r),
            ExprKind::Unary(op, a) => {
                let op = match op {
                    ast::UnaryOp::Minus => Unary::Minus,
                    ast::UnaryOp::Complement => Unary::Complement,
                    ast::UnaryOp::Not => Unary::Not,
                };
                Expr::Unary(op, Box::new(self.expr(a)))
            }
            ExprKind::Binary(op, a, b) => Expr::Binary(binary(*op), Box::new(self.expr(a)), Box::new(self.expr(b))),
            ExprKind::Cond(c, a, b) => Expr::Cond(Box::new([self.expr(c), self.expr(a), self.expr(b)])),
            ExprKind::Len(c) => Expr::Channel(ChannelTest::Len, Box::new(self.load(c))),
            ExprKind::Probe(p, c) => {
                let test = match p {
                    ast::Probe::Full => ChannelTest::Full,
                    ast::Probe::Empty => ChannelTest::Empty,
                    ast::Probe::NotFull => ChannelTest::NotFull,
                    ast::Probe::NotEmpty => ChannelTest::NotEmpty,
                };
                Expr::Channel(test, Box::new(self.load(c)))
            }
            ExprKind::Poll { channel, random, args } => {
                Expr::Poll(Box::new(self.receive(channel, *random, true, args, false).0))
            }
            ExprKind::Enabled(p) => {
                self.model.uses.enabled = true;
                Expr::Enabled(Box::new(self.expr(p)))
            }
            ExprKind::PcValue(p) => Expr::PcValue(Box::new(self.expr(p))),
            ExprKind::GetPriority(p) => {
                self.model.uses.priority = true;
                Expr::Priority(Box::new(self.expr(p)))
            }
            ExprKind::Timeout if self.in_claim() && self.timeout_hidden => Expr::Const(0),
            ExprKind::Timeout => {
                self.model.uses.timeout = true;
                self.timeout_outside_claims |= !self.in_claim();
                Expr::Timeout
            }
            ExprKind::NonProgress => Expr::NonProgress,
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let pid = pid.as_ref().map(|p| Box::new(self.expr(p)));
                match (self.names.def(proctype), self.names.def(label)) {
                    (Some(Def::Body(body)), Some(Def::Label(l))) => {
                        // The location is known only when all graphs stand: it is filled in at the end.
                        let hole = LocationId(self.holes.len() as u32);
                        self.holes.push(l);
                        Expr::AtLocation(self.process_of[&body], pid, hole)
                    }
                    _ => Expr::Const(0),
                }
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                let pid = pid.as_ref().map(|p| Box::new(self.expr(p)));
                let r = ast::VarRef { path: vec![var.clone()], at: e.at };
                let place = self.place(&r);
                match self.names.def(proctype) {
                    Some(Def::Body(body)) => Expr::Remote(self.process_of[&body], pid, Box::new(place)),
                    _ => Expr::Const(0),
                }
            }
            ExprKind::CExpr(c) => self.foreign(embedded::Kind::Value, c).map_or(Expr::Foreign, Expr::Call),
            // `run` is a statement of its own or the whole right side of an assignment; temporal operators occur only
            // in formulas, which are taken apart before their propositions come here.
            ExprKind::Run { .. } | ExprKind::TemporalUnary(..) | ExprKind::TemporalBinary(..) => Expr::Const(1),
        }
    }

    /// The value of a name.
    pub(super) fn load(&mut self, r: &ast::VarRef) -> Expr {
        match r.path.first().and_then(|s| self.names.def(&s.name)) {
            Some(Def::MtypeConst(_, v)) => Expr::Const(i32::from(v)),
            Some(Def::Builtin(b)) => match b {
                Builtin::Underscore => Expr::Const(0),
                Builtin::Pid => Expr::Pid,
                Builtin::Last => {
                    self.model.uses.last = true;
                    Expr::Last
                }
                Builtin::ProcessCount => Expr::ProcessCount,
                Builtin::ChannelCount => Expr::ChannelCount,
                Builtin::Priority => {
                    self.model.uses.priority = true;
                    Expr::Priority(Box::new(Expr::Pid))
                }
            },
            _ => Expr::Load(Box::new(self.place(r))),
        }
    }

    /// A receive, and what is done behind it in the same step; a poll stores nothing.
    fn receive(
        &mut self,
        channel: &ast::VarRef,
        random: bool,
        copy: bool,
        args: &[RecvArg],
        stores: bool,
    ) -> (Receive, Vec<Action>) {
        let (mut fields, mut then) = (Vec::new(), Vec::new());
        for a in args {
            match a {
                RecvArg::Eval(e) | RecvArg::Const(e) => fields.push(Pattern::Match(self.expr(e))),
                RecvArg::Ref(r) => match r.path.first().and_then(|s| self.names.def(&s.name)) {
                    Some(Def::MtypeConst(_, v)) => fields.push(Pattern::Match(Expr::Const(i32::from(v)))),
                    // In a poll a variable matches everything.
                    Some(Def::Builtin(_)) if !stores || self.mutant.lacks(Guard::ReceiveKept) => {
                        fields.push(Pattern::Any)
                    }
                    Some(Def::Builtin(_)) => match self.target(r) {
                        Target::Nothing => fields.push(Pattern::Any),
                        target => {
                            let (place, behind) = self.by_way(r.at.0, &target);
                            fields.push(Pattern::Bind(place));
                            then = behind;
                        }
                    },
                    _ => fields.extend(self.leaf_places(r).into_iter().map(Pattern::Bind)),
                },
            }
        }
        (Receive { channel: self.load(channel), random, copy, fields }, then)
    }

    /// Message fields and arguments, records spread.
    fn values(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        let mut out = Vec::new();
        for a in args {
            match &a.kind {
                ExprKind::Ref(r) if matches!(self.var_of(r).map(|v| v.ty), Some(Ty::Record(_))) => {
                    out.extend(self.leaf_places(r).into_iter().map(|p| Expr::Load(Box::new(p))));
                }
                _ => out.push(self.expr(a)),
            }
        }
        out
    }

    pub(super) fn run(&mut self, e: &ast::Expr, target: Option<Place>) -> Option<Action> {
        let ExprKind::Run { name, args, priority } = &e.kind else { return None };
        let Some(Def::Body(body)) = self.names.def(name) else { return None };
        let priority = priority.as_ref().map_or(0, |p| self.constant(&p.value).clamp(0, 255) as u8);
        if priority > 0 && !self.mutant.lacks(Guard::RunPriority) {
            self.model.uses.priority = true;
        }
        Some(Action::Run { process: self.process_of[&body], args: self.values(args), priority, target })
    }

    /// The value of a constant expression; 0 where it is none.
    pub(super) fn constant(&mut self, e: &ast::Expr) -> i32 {
        match self.expr(e) {
            Expr::Const(v) => v,
            Expr::Unary(Unary::Minus, a) => match *a {
                Expr::Const(v) => v.wrapping_neg(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// What a statement without inner control does.
    pub(super) fn simple(&mut self, s: &StmtKind) -> Kind {
        match s {
            StmtKind::Assign(target, value) | StmtKind::Return { target, value } => self.assignment(target, value),
            StmtKind::Receive { channel, random, copy, args, .. } => {
                let (receive, then) = self.receive(channel, *random, *copy, args, true);
                Kind::several(Action::Receive(receive), then)
            }
            other => Kind::Basic(self.action(other)),
        }
    }

    /// What a statement does that is a single action.
    fn action(&mut self, s: &StmtKind) -> Action {
        match s {
            StmtKind::Empty => Action::Skip,
            StmtKind::Expr(e) => {
                if let Some(run) = self.run(e, None) {
                    return run;
                }
                match self.expr(e) {
                    Expr::Const(1) => Action::Skip,
                    e => Action::Guard(e),
                }
            }
            StmtKind::Increment(target) => self.step_by(target, Binary::Add),
            StmtKind::Decrement(target) => self.step_by(target, Binary::Sub),
            StmtKind::Send { channel, sorted, args, .. } => {
                // Only events of a `trace` name fields `_`, which are not looked at. Those behind the last field that
                // is looked at are left out.
                let looked_at = args.iter().rposition(|a| !self.is_wildcard(a)).map_or(0, |i| i + 1);
                let mut fields = Vec::new();
                for a in &args[..looked_at] {
                    if self.is_wildcard(a) {
                        fields.push(Expr::Foreign);
                    } else {
                        fields.extend(self.values(std::slice::from_ref(a)));
                    }
                }
                Action::Send { channel: self.load(channel), sorted: *sorted, fields }
            }
            StmtKind::Else => Action::Else,
            StmtKind::Assert(e) => Action::Assert(self.expr(e)),
            StmtKind::Printf { format, args } => {
                let args = args.iter().map(|a| self.expr(a)).collect();
                Action::Print { format: Arc::from(format.as_str()), args, mtype: None }
            }
            StmtKind::Printm(e) => {
                let list = match &e.kind {
                    ExprKind::Ref(r) => match r.path.last().and_then(|s| self.names.def(&s.name)) {
                        Some(Def::MtypeConst(list, _)) => list.0,
                        _ => match self.var_of(r).map(|v| v.ty) {
                            Some(Ty::Mtype(list)) => list.0,
                            _ => 0,
                        },
                    },
                    _ => 0,
                };
                Action::Print { format: Arc::from("%e"), args: vec![self.expr(e)], mtype: Some(list) }
            }
            StmtKind::SetPriority(p, n) => {
                self.model.uses.priority = true;
                Action::SetPriority(self.expr(p), self.expr(n))
            }
            StmtKind::CCode(c) => self.foreign(embedded::Kind::Statement, c).map_or(Action::Foreign, Action::Call),
            other => unreachable!("{other:?} has inner control"),
        }
    }

    fn step_by(&mut self, target: &ast::VarRef, op: Binary) -> Action {
        let target = self.target(target);
        target.assign(Expr::Binary(op, Box::new(target.value()), Box::new(Expr::Const(1))))
    }

    fn is_wildcard(&self, e: &ast::Expr) -> bool {
        matches!(&e.kind, ExprKind::Ref(r) if self.builtin(r) == Some(Builtin::Underscore))
    }
}

fn binary(op: ast::BinaryOp) -> Binary {
    match op {
        ast::BinaryOp::Add => Binary::Add,
        ast::BinaryOp::Sub => Binary::Sub,
        ast::BinaryOp::Mul => Binary::Mul,
        ast::BinaryOp::Div => Binary::Div,
        ast::BinaryOp::Rem => Binary::Rem,
        ast::BinaryOp::BitAnd => Binary::BitAnd,
        ast::BinaryOp::BitXor => Binary::BitXor,
        ast::BinaryOp::BitOr => Binary::BitOr,
        ast::BinaryOp::Shl => Binary::Shl,
        ast::BinaryOp::Shr => Binary::Shr,
        ast::BinaryOp::Lt => Binary::Lt,
        ast::BinaryOp::Le => Binary::Le,
        ast::BinaryOp::Gt => Binary::Gt,
        ast::BinaryOp::Ge => Binary::Ge,
        ast::BinaryOp::Eq => Binary::Eq,
        ast::BinaryOp::Ne => Binary::Ne,
        ast::BinaryOp::And => Binary::And,
        ast::BinaryOp::Or => Binary::Or,
    }
}
