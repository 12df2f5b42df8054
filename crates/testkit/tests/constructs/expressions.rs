//! Expressions and references.

use super::{Construct as C, Walk};
use ferrospin_promela::ast::{
    BinaryOp, Expr, ExprKind, Probe, RecvArg, Spelling, TemporalBinary, TemporalUnary, UnaryOp, VarRef,
};

impl Walk {
    pub(super) fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(_, spelling) => self.saw(match spelling {
                Spelling::Number => C::Number,
                Spelling::Word => C::TruthWord,
                Spelling::Skip => C::SkipWord,
                Spelling::Character => C::Character,
            }),
            ExprKind::Ref(v) => {
                self.saw(C::Reference);
                self.saw_if(is_computed(v), C::ComputedIndexRead);
                self.reference(v);
            }
            ExprKind::Unary(op, a) => {
                self.saw(match op {
                    UnaryOp::Minus => C::Minus,
                    UnaryOp::Complement => C::Complement,
                    UnaryOp::Not => C::Not,
                });
                self.expression(a);
            }
            ExprKind::Binary(op, a, b) => {
                self.saw(match op {
                    BinaryOp::Add => C::Add,
                    BinaryOp::Sub => C::Sub,
                    BinaryOp::Mul => C::Mul,
                    BinaryOp::Div => C::Div,
                    BinaryOp::Rem => C::Rem,
                    BinaryOp::BitAnd => C::BitAnd,
                    BinaryOp::BitXor => C::BitXor,
                    BinaryOp::BitOr => C::BitOr,
                    BinaryOp::Shl => C::Shl,
                    BinaryOp::Shr => C::Shr,
                    BinaryOp::Lt => C::Less,
                    BinaryOp::Le => C::LessEqual,
                    BinaryOp::Gt => C::Greater,
                    BinaryOp::Ge => C::GreaterEqual,
                    BinaryOp::Eq => C::Equal,
                    BinaryOp::Ne => C::Unequal,
                    BinaryOp::And => C::And,
                    BinaryOp::Or => C::Or,
                });
                self.expression(a);
                self.expression(b);
            }
            ExprKind::Cond(c, a, b) => {
                self.saw(C::Conditional);
                [c, a, b].into_iter().for_each(|e| self.expression(e));
            }
            ExprKind::Run { name: _, args, priority } => {
                self.saw(C::Run);
                self.saw_if(priority.is_some(), C::RunPriority);
                args.iter().for_each(|e| self.expression(e));
            }
            ExprKind::Len(v) => {
                self.saw(C::Len);
                self.channel(v);
            }
            ExprKind::Probe(probe, v) => {
                self.saw(match probe {
                    Probe::Full => C::Full,
                    Probe::Empty => C::Empty,
                    Probe::NotFull => C::NotFull,
                    Probe::NotEmpty => C::NotEmpty,
                });
                self.channel(v);
            }
            ExprKind::Poll { channel, random, args } => {
                self.saw(if *random { C::RandomPoll } else { C::Poll });
                self.channel(channel);
                args.iter().for_each(|a| self.pattern(a));
            }
            ExprKind::Enabled(e) => {
                self.saw(C::Enabled);
                self.expression(e);
            }
            ExprKind::PcValue(e) => {
                self.saw(C::PcValue);
                self.expression(e);
            }
            ExprKind::GetPriority(e) => {
                self.saw(C::GetPriority);
                self.expression(e);
            }
            ExprKind::Timeout => self.saw(C::Timeout),
            ExprKind::NonProgress => self.saw(C::NonProgress),
            ExprKind::RemoteLabel { proctype: _, pid, label: _ } => {
                self.saw(if pid.is_some() { C::RemoteLabelOfNumber } else { C::RemoteLabel });
            }
            ExprKind::RemoteVar { proctype: _, pid, var: _ } => {
                self.saw(if pid.is_some() { C::RemoteVariableOfNumber } else { C::RemoteVariable });
            }
            ExprKind::CExpr(_) => self.saw(C::CExpr),
            ExprKind::TemporalUnary(op, a) => {
                self.saw(match op {
                    TemporalUnary::Always => C::Always,
                    TemporalUnary::Eventually => C::Eventually,
                    TemporalUnary::Next => C::Next,
                });
                self.expression(a);
            }
            ExprKind::TemporalBinary(op, a, b) => {
                self.saw(match op {
                    TemporalBinary::Until => C::Until,
                    TemporalBinary::Release => C::Release,
                    TemporalBinary::WeakUntil => C::WeakUntil,
                    TemporalBinary::Implies => C::Implies,
                    TemporalBinary::Equivalent => C::Equivalent,
                });
                self.expression(a);
                self.expression(b);
            }
        }
    }

    /// A variable that is read or written.
    pub(super) fn reference(&mut self, v: &VarRef) {
        match first(v) {
            "_pid" => self.saw(C::OwnNumber),
            "_last" => self.saw(C::LastProcess),
            "_nr_pr" => self.saw(C::ProcessCount),
            "_priority" => self.saw(C::OwnPriority),
            "STDIN" => self.saw(C::StandardInput),
            _ => {}
        }
        v.path.iter().filter_map(|s| s.index.as_deref()).for_each(|e| self.expression(e));
    }

    pub(super) fn channel(&mut self, v: &VarRef) {
        self.saw_if(is_computed(v), C::ComputedIndexOfChannel);
        self.reference(v);
    }

    pub(super) fn pattern(&mut self, a: &RecvArg) {
        match a {
            RecvArg::Ref(v) => {
                self.saw(C::PatternVariable);
                self.saw_if(first(v) == "_priority", C::PriorityReceived);
                self.saw_if(first(v) == "_pid", C::ReceiveIntoOwnNumber);
                self.saw_if(is_computed(v), C::ComputedIndexInReceive);
                self.reference(v);
            }
            RecvArg::Eval(e) => {
                self.saw(C::PatternEval);
                self.saw_if(!matches!(e.kind, ExprKind::Const(..) | ExprKind::Ref(_)), C::EvalOfExpression);
                self.expression(e);
            }
            RecvArg::Const(e) => {
                self.saw(C::PatternConstant);
                self.expression(e);
            }
        }
    }
}

/// The first name of a reference.
pub(super) fn first(v: &VarRef) -> &str {
    &v.path[0].name.name
}

/// Whether an index of a reference is no constant.
pub(super) fn is_computed(v: &VarRef) -> bool {
    v.path.iter().any(|s| s.index.as_ref().is_some_and(|e| !matches!(e.kind, ExprKind::Const(..))))
}
